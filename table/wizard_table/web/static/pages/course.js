// Courses, drawn as lines: the score of each seat after each round.

import { signed, t } from "../language.js";
import { draw, make } from "../shared/elements.js";
import { totalsOf } from "../table/pad.js";
import { seatLabel } from "../table/seats.js";

const WIDTH = 300;
const HEIGHT = 120;
const LEFT = 42; // for the numbers of the axis
const MARGIN = 8;
const LETTERS = 11; // the height of a number; nearer to 0, none has room

// Draws the rounds that are over; nothing before the first is.
export function drawCourse(figure, view) {
  const { scene } = view;
  figure.hidden = !scene.pad.length;
  if (figure.hidden) return;
  const totals = totalsOf(scene);
  const last = scene.seats.map((_, seat) => `${seatLabel(view, seat)} ${signed(totals.at(-1)[seat])}`);
  const lines = scene.seats.map((_, seat) => totals.map((scores) => scores[seat]));
  const drawing = chart(lines, t("Score: {totals}", { totals: last.join(", ") }), view.you);
  const key = scene.seats.map((_, seat) =>
    make("span", { className: `seat${seat}`, textContent: seatLabel(view, seat) }),
  );
  const caption = make("figcaption", {}, t("Score after each round"));
  figure.replaceChildren(caption, drawing, make("p", { className: "key" }, ...key));
}

// Draws lines of equally many values, with a text for those who do not see them. The reader's own lies above the others.
export function chart(lines, label, own = 0) {
  const highest = Math.max(0, ...lines.flat());
  const lowest = Math.min(0, ...lines.flat());
  const across = (index) => LEFT + (index / (lines[0].length - 1)) * (WIDTH - LEFT - MARGIN);
  const down = (value) => MARGIN + ((highest - value) / (highest - lowest || 1)) * (HEIGHT - 2 * MARGIN);
  const drawing = draw("svg", { role: "img", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-label": label });
  for (const value of new Set([highest, 0, lowest])) {
    drawing.append(draw("line", { x1: LEFT, x2: WIDTH - MARGIN, y1: down(value), y2: down(value) }));
    if (value && Math.abs(down(value) - down(0)) < LETTERS) continue;
    drawing.append(draw("text", { x: LEFT - 4, y: down(value) + 4 }, signed(value)));
  }
  for (const [number, values] of lines.entries()) {
    const points = values.map((value, index) => `${across(index)},${down(value)}`).join(" ");
    drawing.append(draw("polyline", { points, class: `seat${number}${number === own ? " own" : ""}` }));
  }
  drawing.append(...drawing.querySelectorAll(".own"));
  return drawing;
}
