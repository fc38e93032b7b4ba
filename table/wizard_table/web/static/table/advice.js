// Tables of advice: an agent's opinion of each action in a decision.

import { actionName } from "../drawings/cards.js";
import { sign } from "../drawings/icons.js";
import { t } from "../language.js";
import { $, levelName, make, row } from "../shared/elements.js";
import { percent, signed } from "../shared/numbers.js";
import { seatLabel } from "./seats.js";

const RECOGNISER = "adaptive"; // recognises players, and its own copies among them

// Until the answer comes, which may take seconds.
export function drawThinking(agent, table = $("advice")) {
  fill(table, t("{agent} is thinking …", { agent: levelName(agent) }), [], []);
  table.dataset.stale = "";
}

// Advice in a review, as a hint, and the probability that the agent takes each action.
export function drawAdvice(agent, advice, table, chosen) {
  const rows = advice.choices.map((one) => line(one, percent(one.share), chosen));
  fillIn(table, agent, advice, t("share"), rows);
}

// A hint: the chance that the bid is met with each action, and the points that can be expected, the best first.
// In a drill, the choices made now and before are marked. Returns the best action.
export function drawHint(agent, advice, chosen = null, before = null) {
  const { choices } = advice;
  const rows = choices.map((one) => line(one, bar(one.met), chosen));
  const earlier = choices.findIndex(({ action }) => action === before);
  if (earlier >= 0) rows[earlier].cells[0].append(" ", sign("past", t("then")));
  fillIn($("advice"), agent, advice, "", rows);
  return choices[0].action;
}

// The players that the agent recognises, below the caption.
export function drawRecognised(view, { recognised }, table = $("advice")) {
  const unknown = recognised.filter(({ seat, kind }) => view.names[seat] !== kind); // the name says as much
  const lines = unknown.map((one) => make("span", {}, recognisedText(one, seatLabel(view, one.seat))));
  table.caption.append(...lines);
}

export function recognisedText({ kind, bids }, name) {
  const belief = kindText(kind, name);
  if (bids === "high") return t("{belief} and bids high", { belief });
  return bids === "low" ? t("{belief} and bids low", { belief }) : belief;
}

function kindText(kind, name) {
  if (kind === "copy") return t("{name} plays like {agent}", { name, agent: levelName(RECOGNISER) });
  if (kind === "learned") return t("{name} plays like a trained network", { name });
  if (kind === "unknown") return t("{name} has a style of their own", { name });
  return t("{name} plays like {agent}", { name, agent: levelName(kind) });
}

function bar(chance) {
  const drawn = make("span", { className: "bar" });
  drawn.style.width = `${100 * chance}%`;
  return drawn;
}

function line({ action, met, points }, second, chosen) {
  const item = row("td", [actionName(action), second, percent(met), signed(points, 1)]);
  if (action === chosen) item.dataset.chosen = "";
  return item;
}

// Both figures of a row come from the same playouts.
function fillIn(table, agent, { value }, second, rows) {
  const values = { agent: levelName(agent), points: signed(value, 1) };
  const caption = t("{agent} expects {points} points this round", values);
  fill(table, caption, ["", second, t("meets the bid"), t("points")], rows);
}

function fill(table, caption, headings, rows) {
  table.querySelector("caption").textContent = caption;
  table.tHead.replaceChildren(...(headings.length ? [row("th", headings)] : []));
  table.tBodies[0].replaceChildren(...rows);
  delete table.dataset.stale;
  table.hidden = false;
}
