// Countdowns at a table with several people: until the computer plays for a person who is away, and until a decision
// is due. The server sends the seconds left once, and the page counts them down.
import { t, tn } from "../language.js";
import { $, make } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";
import { seatLabel } from "./seats.js";

const TICK = 200; // milliseconds
const PATIENCE = 2000; // milliseconds that a person may be away unannounced, as while a page reloads
const TOLD = 6000; // milliseconds that the notice of a decision by the clock stays
const FEW = 10; // seconds left for the person's own decision: screen readers announce it
const SHORT = "short";

let view = null; // the one that is shown
let ticking; // the timer
let told; // the notice of a decision by the clock, while it is shown
const since = new Map(); // when each absent person went away
const said = new Set(); // announced to screen readers already: absent seats, and SHORT
onEachVisit(() => {
  clearInterval(ticking);
  view = told = null;
  since.clear();
  said.clear();
});

// A message of the server, with moments in place of the seconds until then.
export function withMoments(message) {
  const at = (seconds) => (seconds === null ? null : performance.now() + 1000 * seconds);
  return {
    ...message,
    replaced_at: message.replaced_in.map(at),
    decides_at: at(message.decides_in ?? null),
  };
}

export function drawTimes(shown) {
  if (view?.decisions !== shown.decisions) said.delete(SHORT);
  for (const [seat, moment] of shown.replaced_at.entries()) {
    if (moment !== null) since.set(seat, since.get(seat) ?? performance.now());
    else {
      since.delete(seat);
      said.delete(seat);
    }
  }
  view = shown;
  clearInterval(ticking);
  ticking = setInterval(tick, TICK);
  tick();
}

// An agent has decided for a person whose time was up.
export function tellOverdue({ seat }) {
  const yours = seat === view.you;
  const values = { name: seatLabel(view, seat) };
  const text = yours
    ? t("Time is up. The computer decided for you.")
    : t("Time is up. The computer decided for {name}.", values);
  told = { text, until: performance.now() + TOLD };
  $("news").textContent = text;
  tick();
}

const secondsUntil = (moment) => Math.max(0, Math.ceil((moment - performance.now()) / 1000));

function tick() {
  if (told?.until < performance.now()) told = null;
  const text = told?.text ?? absence();
  $("notice").hidden = text === "";
  $("notice").textContent = text;
  drawClock();
}

// Returns a notice of the absent person whom the computer replaces first; "" if nobody is away.
function absence() {
  const moments = view.replaced_at.map((moment) => moment ?? Number.POSITIVE_INFINITY);
  const seat = moments.indexOf(Math.min(...moments));
  if (view.replaced_at[seat] === null || performance.now() - since.get(seat) < PATIENCE) return "";
  const values = { name: seatLabel(view, seat), count: secondsUntil(moments[seat]) };
  const text = t("{name} is away. The computer takes over in {count} s.", values);
  say(seat, text);
  return text;
}

// On the plate of the person who acts.
function drawClock() {
  const plate = document.querySelector("#players [data-acts]");
  if (!plate || view.decides_at === null) return;
  const count = secondsUntil(view.decides_at);
  const badge = plate.querySelector(".clock") ?? plate.appendChild(make("b", { className: "clock" }));
  badge.textContent = `${count} s`;
  badge.toggleAttribute("data-soon", count <= FEW);
  if (count <= FEW && view.legal.length) say(SHORT, tn("{count} second left", "{count} seconds left", count));
}

function say(key, text) {
  if (said.has(key)) return;
  said.add(key);
  $("news").textContent = text;
}
