// Tables of advice: an agent's opinion of each action in a decision.
import { t } from "../language.js";
import { actionName } from "../shared/cards.js";
import { $, levelName, make, row, signed } from "../shared/elements.js";
import { sign } from "../shared/icons.js";
import { seatLabel } from "./seats.js";

// Until the answer comes, which may take seconds.
export function drawThinking(agent, table = $("advice")) {
  fill(table, t("{agent} is thinking …", { agent: levelName(agent) }), [], []);
  table.dataset.stale = "";
}

// The probability that the agent takes each action, and the points that it expects if it estimates them.
export function drawAdvice(agent, { choices, value }, table, chosen) {
  const values = { agent: levelName(agent), points: value === null ? "" : signed(value, 1) };
  const caption =
    value === null
      ? t("{agent} would choose", values)
      : t("{agent} would choose, expecting {points} points this round", values);
  const hasPoints = choices.some(({ points }) => points !== null);
  const rows = choices.map((one) => line(one.action, one.share, one.points, chosen));
  fill(table, caption, ["", "", t("share"), hasPoints ? t("points") : ""], rows);
}

// A hint: the points that the agent expects from each action, the best first, and the chance that the bid is met.
// In a drill, the choices made now and before are marked. An agent that expects no points gives its advice.
// Returns the best action.
export function drawHint(agent, { choices, value }, chosen = null, before = null) {
  if (choices[0].points === null) {
    drawAdvice(agent, { choices, value }, $("advice"), chosen);
    return choices[0].action;
  }
  const sorted = choices.toSorted((one, other) => other.points - one.points);
  const values = { agent: levelName(agent), points: signed(value, 1) };
  const rows = sorted.map((one) => line(one.action, one.met, one.points, chosen));
  const earlier = sorted.findIndex(({ action }) => action === before);
  if (earlier >= 0) rows[earlier].cells[0].append(" ", sign("past", t("then")));
  const caption = t("{agent} expects {points} points this round", values);
  fill($("advice"), caption, ["", "", t("meets the bid"), t("points")], rows);
  return sorted[0].action;
}

// The players that the agent recognises, below the caption.
export function drawRecognised(view, { recognised }, table = $("advice")) {
  const lines = recognised.map((one) => make("span", {}, recognisedText(one, seatLabel(view, one.seat))));
  table.caption.append(...lines);
}

export function recognisedText({ kind, bids }, name) {
  const belief = kindText(kind, name);
  if (bids === "high") return t("{belief} and bids high", { belief });
  return bids === "low" ? t("{belief} and bids low", { belief }) : belief;
}

function kindText(kind, name) {
  if (kind === "copy") return t("{name} plays like the adviser", { name });
  if (kind === "learned") return t("{name} plays like a trained network", { name });
  if (kind === "unknown") return t("{name} has a style of their own", { name });
  return t("{name} plays like {agent}", { name, agent: levelName(kind) });
}

function line(action, chance, points, chosen) {
  const percent = `${Math.round(100 * chance)}%`;
  const item = row("td", [actionName(action), "", percent, points === null ? "" : signed(points, 1)]);
  const bar = make("span", { className: "bar" });
  bar.style.width = `${100 * chance}%`;
  item.cells[1].append(bar);
  if (action === chosen) item.dataset.chosen = "";
  return item;
}

function fill(table, caption, headings, rows) {
  table.querySelector("caption").textContent = caption;
  table.tHead.replaceChildren(...(headings.length ? [row("th", headings)] : []));
  table.tBodies[0].replaceChildren(...rows);
  delete table.dataset.stale;
  table.hidden = false;
}
