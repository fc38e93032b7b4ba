// Drills: the table as it was at a costly decision of the person, or in a puzzle. The person decides, and then sees
// the points to expect from each action, and the earlier choice. Figures of a puzzle are stored with it.

import { actionName } from "../drawings/cards.js";
import { decimal, locale, t, tn } from "../language.js";
import { goTo, REVIEW } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, judgeOf, make } from "../shared/elements.js";
import { heading, paragraph } from "../shared/heading.js";
import { keepOffline } from "../shared/offline.js";
import { saveMoment, saveRecord } from "../shared/storage.js";
import { onEachVisit } from "../shared/visit.js";
import { drawHint, drawThinking } from "../table/advice.js";
import { drawFigures } from "../table/decision.js";
import { drawTable } from "../table/drawing.js";
import { listen } from "../table/keys.js";
import { BOXES, daysAfter, isLearned, isRight, worthOf } from "./boxes.js";
import { collect, dueDrills, keptDrills, recordOf, saveAnswer } from "./collection.js";
import { duePuzzles, fetchPuzzles, restingPuzzles, savePuzzle } from "./puzzles.js";

const MOST_NAMED = 3;

let judge = null; // the agent that judges, if there is one
let own; // the person's drills to come
let puzzles; // the puzzles after them
let shown; // the drill on the table
let record = ""; // of its game; a puzzle has none
onEachVisit(() => {
  own = [];
  puzzles = [];
  shown = null;
});

export async function showDrills(agents) {
  judge = judgeOf(agents);
  for (const name of ["hint", "back", "asks", "paces"]) $(name).hidden = true;
  $("drill").hidden = false;
  $("next").onclick = next;
  $("replay").onclick = openReview;
  listen();
  keepOffline();
  await fetchPuzzles();
  next();
  if (!judge) return;
  await collect((done, total) => {
    if (!shown) showRest(t("Rounds checked: {done} of {total} …", { done, total }));
  });
  if (!shown) next();
}

// Shows a decision of the person's own; a puzzle if none is due, or no server would judge it.
async function next() {
  const now = Date.now();
  if (!own.length && judge && navigator.onLine) own = dueDrills(now);
  if (!own.length && !puzzles.length) puzzles = duePuzzles(now);
  shown = own.shift() ?? puzzles.shift() ?? null;
  if (!shown) return showRest();
  if (isPuzzle(shown)) return show(shown.view);
  record = recordOf(shown);
  const view = await ask("records/decision", { record, decisions: shown.decisions });
  if (view) show(view);
  else $("next").hidden = false;
}

const isPuzzle = (drill) => "choices" in drill;

function show(view) {
  $("result").hidden = true;
  for (const name of ["next", "replay"]) $(name).hidden = true;
  $("lines").hidden = false;
  for (const name of ["choices", "hand"]) $(name).inert = false;
  drawTable(view, (action) => decide(view, action));
  document.title = t("Drills – Wizard");
  $("news").textContent = ""; // nothing has happened: the drills are from different games
  $("advice").hidden = true;
  if (isPuzzle(shown)) return say(t("Puzzle {number}: what do you choose?", shown));
  const progress = { box: shown.box, boxes: BOXES, count: dueDrills(Date.now()).length - 1 };
  say(t("Try again: what do you choose?"), t("Step {box} of {boxes}. More due today: {count}.", progress));
}

async function decide(view, action) {
  for (const name of ["choices", "hand"]) $(name).inert = true;
  const advice = isPuzzle(shown) ? { ...shown, value: shown.choices[0].points } : await assessment();
  if (!advice) return show(view);
  drawHint(advice, action, shown.chosen);
  $("lines").hidden = true; // there is nothing left to choose
  drawFigures(advice.choices);
  $("next").hidden = false;
  $("replay").hidden = isPuzzle(shown);
  $("next").focus();
  const right = isRight(advice.choices, action);
  const after = (isPuzzle(shown) ? savePuzzle : saveAnswer)(shown, right, Date.now());
  const title = right ? t("Right.") : t("Better: {action}.", { action: bestOf(advice.choices) });
  const texts = [
    comparison(advice.choices, action),
    ...reasons(advice.choices, action, right),
    again(after, right),
  ];
  say(title, texts.join(" "));
}

function assessment() {
  drawThinking(judge);
  return ask("records/assessment", { record, decisions: shown.decisions, agent: judge });
}

// The best choices: all bids that are equally good, or some of the cards.
function bestOf(choices) {
  const best = choices.filter(({ as_good }) => as_good).map(({ action }) => action);
  const list = (names) => new Intl.ListFormat(locale, { type: "disjunction" }).format(names);
  if (!best[0].startsWith("bid")) return list(best.slice(0, MOST_NAMED).map(actionName));
  const bids = best.map((action) => Number(action.split(" ")[1])).toSorted((a, b) => a - b);
  return t("bid {number}", { number: list(bids.map(String)) });
}

function comparison(choices, action) {
  const points = (one) => {
    const worth = Math.round(worthOf(choices, one));
    return tn("{count} point", "{count} points", worth, { count: decimal(worth) });
  };
  const now = { chosen: actionName(action), points: points(action) };
  if (isPuzzle(shown)) return t("You chose {chosen}, worth about {points}.", now);
  if (action === shown.chosen) return t("Same choice again, {chosen}: worth about {points}.", now);
  const before = { before: actionName(shown.chosen), worth: points(shown.chosen) };
  return t("This time {chosen}: about {points}. Last time {before}: about {worth}.", { ...now, ...before });
}

// For the best choice after a wrong answer, and for or against the choice that was made.
const reasons = (choices, action, right) =>
  choices
    .filter((one, place) => one.action === action || (place === 0 && !right))
    .map(({ why }) => why)
    .filter(Boolean);

function again(after, right) {
  if (!right) return t("It comes again today.");
  if (isLearned(after)) return t("Learned: it will not come again.");
  return tn("It comes again in {count} day.", "It comes again in {count} days.", daysAfter(shown.box));
}

const say = (title, text = "") =>
  $("asked").replaceChildren(make("b", {}, title), " ", make("span", {}, text));

function openReview() {
  saveRecord(record);
  saveMoment(shown.decisions);
  goTo(REVIEW);
}

// Nothing is due.
function showRest(progress = "") {
  shown = null;
  $("table").hidden = true;
  delete document.body.dataset.page;
  const [first, ...others] = [...keptDrills(), ...restingPuzzles(Date.now())].toSorted(
    (one, other) => one.due - other.due,
  );
  const waiting = first
    ? tn(
        "{count} drill waits; it comes again on {date}.",
        "{count} drills wait; the first comes again on {date}.",
        1 + others.length,
        { date: new Date(first.due).toLocaleDateString(locale) },
      )
    : t("You have solved every puzzle.");
  const explanation = t(
    "What you get right comes back after 1, 2, 4 and 8 days; what you get wrong, at once. An answer is right if it is about as good as the best, or at most one point worse.",
  );
  $("result").replaceChildren(
    heading(
      t("Drills"),
      paragraph(t("After each of your games, its costliest decisions come here to try again.")),
      paragraph(t("When none of them is due, there are puzzles to solve.")),
    ),
    make(
      "section",
      { className: "panel" },
      make("p", { role: "status" }, progress || waiting),
      make("p", { className: "note" }, explanation),
    ),
  );
  $("result").hidden = false;
}
