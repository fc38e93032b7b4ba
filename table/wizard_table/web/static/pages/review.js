// A finished game, decision by decision, with an agent's advice on each.

import { t, tn } from "../language.js";
import { goTo, LOBBY } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, judgeOf, levelName, offerLobby } from "../shared/elements.js";
import { savedMoment, savedRecord, saveMoment } from "../shared/storage.js";
import { onEachVisit, sleep, visitSignal } from "../shared/visit.js";
import { drawAdvice, drawThinking } from "../table/advice.js";
import { drawTable } from "../table/drawing.js";
import { drawCourse } from "./course.js";
import { judgedGame, notesOn, sumsOf } from "./judgements.js";

const STEP = 60; // milliseconds between two requests while a key is held down

let record = ""; // of the game
let names = null; // of the players, if the game was played here
let played = null; // the table and the reader's seat there, if there is one
let shown; // the view of the decision that is shown
let target = null; // the number of decisions to show next
let moving; // whether a request for a view is under way
let answers; // the agents' answers, by question
onEachVisit(() => {
  shown = target = null;
  moving = false;
  answers = new Map();
});

export function showReview(agents) {
  const kept = savedRecord();
  if (kept === null) return goTo(LOBBY);
  [record, names, played] = kept;
  $("save").href = URL.createObjectURL(new Blob([record]));
  const offered = agents.toReversed().map(({ name }) => new Option(levelName(name), name));
  $("adviser").append(new Option(t("nobody"), ""), ...offered);
  $("adviser").value = judgeOf(agents) ?? agents.at(-1).name;
  for (const name of ["hint", "back", "paces"]) $(name).hidden = true;
  $("luck").hidden = played === null || judgeOf(agents) === null;
  listen();
  go(savedMoment());
}

function listen() {
  $("moment").oninput = (event) => go(Number(event.target.value));
  $("before").onclick = () => go(target - 1);
  $("after").onclick = () => go(target + 1);
  $("earlier").onclick = () => go(shown.first_decisions.findLast((first) => first < target) ?? 0);
  $("later").onclick = () => go(shown.first_decisions.find((first) => first > target) ?? shown.num_decisions);
  $("adviser").onchange = advise;
  $("luck").ontoggle = showLuck;
  document.addEventListener("keydown", goByKey, { signal: visitSignal() });
}

function goByKey(event) {
  if (event.target.closest("input, select, dialog") || shown === null) return;
  if (event.key === "ArrowLeft") go(target - 1);
  if (event.key === "ArrowRight") go(target + 1);
  if (event.key === "ArrowUp") $("earlier").click();
  if (event.key === "ArrowDown") $("later").click();
  if (event.key === "Home") go(0);
  if (event.key === "End") go(shown.num_decisions);
}

// --- from decision to decision

// Shows the game after this many decisions. While an answer is awaited, only the latest request is kept.
async function go(decisions) {
  target = Math.max(0, Math.min(decisions, shown?.num_decisions ?? Infinity));
  if (moving) return;
  moving = true;
  let here;
  do {
    here = target;
    const view = await ask("records/moment", { record, decisions: here });
    if (view) show(view);
    await sleep(STEP);
  } while (here !== target);
  moving = false;
  if (shown) advise();
  else offerLobby(); // the page shows already why the server refuses this game
}

function show(view) {
  if (names !== null) view.names = names;
  if (played !== null) {
    const name = levelName(view.names[played.seat]);
    view.names = view.names.with(played.seat, t("{name} (you)", { name }));
  }
  shown = view;
  drawTable(view);
  drawCourse($("course"), view);
  for (const name of ["review", "asks"]) $(name).hidden = false;
  $("moment").max = view.num_decisions;
  $("moment").value = target;
  $("place").textContent =
    view.chosen === null
      ? tn("after {count} decision", "after {count} decisions", view.num_decisions)
      : t("Decision {number} of {count}", { number: view.decisions + 1, count: view.num_decisions });
  saveMoment(view.decisions);
  for (const name of ["before", "earlier"]) $(name).disabled = view.decisions === 0;
  for (const name of ["after", "later"]) $(name).disabled = view.decisions === view.num_decisions;
}

// Shows the worth of each round, and the points that luck and choices added or lost.
async function showLuck() {
  const sums = $("sums");
  if (!$("luck").open || sums.firstElementChild) return;
  const { table, seat } = played;
  const total = shown.scene.num_rounds;
  const judged = await judgedGame(table, total, ({ length }) => {
    sums.textContent = t("Rounds checked: {done} of {total} …", { done: length, total });
  });
  if (judged === null) sums.textContent = t("The server is not responding.");
  else sums.replaceChildren(sumsOf(judged, seat), ...notesOn(judged));
}

// --- advice

async function advise() {
  const here = shown;
  const agent = $("adviser").value;
  const table = $("advice");
  table.hidden = !agent || here.chosen === null;
  if (table.hidden) return;
  if (!table.tBodies[0].rows.length) drawThinking(agent);
  const advice = await askOnce({ decisions: here.decisions, agent });
  if (!advice || here !== shown || agent !== $("adviser").value) return;
  drawAdvice(advice, here.chosen);
}

// Asks for advice on the game that is shown: once, unless it fails.
function askOnce(question) {
  const key = JSON.stringify(question);
  if (!answers.has(key)) {
    const promise = ask("records/assessment", { record, ...question });
    answers.set(key, promise);
    promise.then((found) => {
      if (found === null) answers.delete(key);
    });
  }
  return answers.get(key);
}
