// Tables of advice: an agent's opinion of each action in a decision.

import { actionName } from "../drawings/cards.js";
import { sign } from "../drawings/icons.js";
import { percent, signed, t } from "../language.js";
import { $, levelName, make, row } from "../shared/elements.js";

// Until the answer comes, which may take seconds.
export function drawThinking(agent) {
  fill(t("{agent} is thinking …", { agent: levelName(agent) }), [], []);
  $("advice").dataset.stale = "";
}

// Advice in a review, as a hint, and the probability that the agent takes each action.
export function drawAdvice(advice, chosen) {
  const rows = advice.choices.map((one) => line(one, percent(one.share), chosen));
  fillIn(advice, t("how often"), rows);
}

// A hint: the chance that the bid is met with each action, and the points that can be expected, the best first.
// In a drill, the choices made now and before are marked. Returns the best action.
export function drawHint(advice, chosen = null, before = null) {
  const { choices } = advice;
  const rows = choices.map((one) => line(one, bar(one.met), chosen));
  const earlier = choices.findIndex(({ action }) => action === before);
  if (earlier >= 0) rows[earlier].cells[0].append(" ", sign("past", t("then")));
  fillIn(advice, "", rows);
  return choices[0].action;
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
function fillIn({ value }, second, rows) {
  const caption = t("With the best choice: {points} points on average", { points: signed(value, 1) });
  fill(caption, ["", second, t("meets the bid"), t("points")], rows);
}

function fill(caption, headings, rows) {
  const table = $("advice");
  table.querySelector("caption").textContent = caption;
  table.tHead.replaceChildren(...(headings.length ? [row("th", headings)] : []));
  table.tBodies[0].replaceChildren(...rows);
  delete table.dataset.stale;
  table.hidden = false;
}
