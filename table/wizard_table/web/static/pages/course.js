// The score of each seat after each round, as lines.

import { signed, t } from "../language.js";
import { draw, make } from "../shared/elements.js";
import { totalsOf } from "../table/pad.js";
import { seatLabel } from "../table/seats.js";

const WIDTH = 300;
const HEIGHT = 120;
const LEFT = 34; // for the numbers of the axis
const MARGIN = 8;
const LETTERS = 9; // the height of a number; nearer to 0, none has room

// Draws the rounds that are over; nothing before the first is.
export function drawCourse(figure, view) {
  const { scene } = view;
  figure.hidden = !scene.pad.length;
  if (figure.hidden) return;
  const totals = totalsOf(scene);
  const highest = Math.max(...totals.flat());
  const lowest = Math.min(...totals.flat());
  const across = (round) => LEFT + (round / scene.pad.length) * (WIDTH - LEFT - MARGIN);
  const down = (score) => MARGIN + ((highest - score) / (highest - lowest || 1)) * (HEIGHT - 2 * MARGIN);
  const drawing = draw("svg");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  const last = scene.seats.map((_, seat) => `${seatLabel(view, seat)} ${signed(totals.at(-1)[seat])}`);
  drawing.setAttribute("aria-label", t("Score: {totals}", { totals: last.join(", ") }));
  for (const score of new Set([highest, 0, lowest])) {
    const line = { x1: LEFT, x2: WIDTH - MARGIN, y1: down(score), y2: down(score) };
    drawing.append(draw("line", line));
    if (score && Math.abs(down(score) - down(0)) < LETTERS) continue;
    drawing.append(draw("text", { x: LEFT - 4, y: down(score) + 3 }, signed(score)));
  }
  for (const seat of scene.seats.keys()) {
    const points = totals.map((scores, round) => `${across(round)},${down(scores[seat])}`).join(" ");
    drawing.append(draw("polyline", { points, class: `seat${seat}` }));
  }
  const key = scene.seats.map((_, seat) =>
    make("span", { className: `seat${seat}`, textContent: seatLabel(view, seat) }),
  );
  const caption = make("figcaption", {}, t("Score after each round"));
  figure.replaceChildren(caption, drawing, make("p", { className: "key" }, ...key));
}
