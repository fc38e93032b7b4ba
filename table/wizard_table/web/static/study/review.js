// Finished games, decision by decision: agents' advice on each decision, and where points were lost.

import { actionName } from "../drawings/cards.js";
import { isLoss, sumHeadings, sumRow } from "../judging/sheet.js";
import { t, tn } from "../language.js";
import { goTo, LOBBY } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, complain, copyText, judgeOf, levelName, make, offerLobby, row } from "../shared/elements.js";
import { decimal } from "../shared/numbers.js";
import { savedMoment, savedRecords, saveMoment } from "../shared/storage.js";
import { onEachVisit, sleep, visitSignal } from "../shared/visit.js";
import { drawAdvice, drawRecognised, drawThinking } from "../table/advice.js";
import { drawTable } from "../table/drawing.js";
import { seatLabel } from "../table/seats.js";
import { drawCourse } from "./course.js";
import { linkTo } from "./link.js";

const ADVISERS = ["adviser", "second"]; // the fields that choose advisers; each has a table
const STEP = 60; // milliseconds between two requests while a key is held down
const LOWEST_SCALE = 5; // points; the height of the chart is at least this

let games = []; // the records in the file
let names = null; // of the players, if the game was played here
let judge = null; // the agent that judges
let shown; // the view of the decision that is shown
let target = null; // the record and the number of decisions to show next
let moving; // whether a request for a view is under way
let answers; // the agents' answers, by question
onEachVisit(() => {
  shown = null;
  moving = false;
  answers = new Map();
});

export function showReview(agents) {
  const kept = savedRecords();
  if (kept === null) return goTo(LOBBY);
  const [text, players] = kept;
  games = text.split("\n").filter((line) => line.trim());
  names = players;
  $("which").replaceChildren(...games.map((_, number) => new Option(gameName(number), number)));
  $("which").hidden = games.length < 2;
  offerAgents(agents);
  for (const name of ["hint", "back", "paces"]) $(name).hidden = true;
  listen();
  const [game, decisions] = savedMoment();
  $("which").value = game;
  go(decisions);
}

const gameName = (number) => t("Game {number}", { number: number + 1 });

function offerAgents(agents) {
  const offered = (some) => some.toReversed().map(({ name }) => new Option(levelName(name), name));
  for (const name of ADVISERS) $(name).append(new Option(t("nobody"), ""), ...offered(agents));
  $("adviser").value = agents.at(-1).name;
  judge = judgeOf(agents);
  $("judging").hidden = judge === null;
}

function listen() {
  $("which").onchange = () => {
    shown = null;
    go(0);
  };
  $("moment").oninput = (event) => go(Number(event.target.value));
  $("before").onclick = () => go(target.decisions - 1);
  $("after").onclick = () => go(target.decisions + 1);
  $("earlier").onclick = () => go(shown.first_decisions.findLast((first) => first < target.decisions) ?? 0);
  $("later").onclick = () =>
    go(shown.first_decisions.find((first) => first > target.decisions) ?? shown.num_decisions);
  for (const name of ADVISERS) $(name).onchange = advise;
  $("judge").onclick = () => {
    $("judge").ariaPressed = $("judge").ariaPressed === "false";
    drawJudgement();
  };
  document.addEventListener("keydown", goByKey, { signal: visitSignal() });
  $("position").onclick = copyLink;
}

function goByKey(event) {
  if (event.target.closest("input, select, dialog") || shown === null) return;
  if (event.key === "ArrowLeft") go(target.decisions - 1);
  if (event.key === "ArrowRight") go(target.decisions + 1);
  if (event.key === "ArrowUp") $("earlier").click();
  if (event.key === "ArrowDown") $("later").click();
  if (event.key === "Home") go(0);
  if (event.key === "End") go(shown.num_decisions);
}

// --- from decision to decision

const record = () => games[Number($("which").value)];

// Shows the game after this many decisions. While an answer is awaited, only the latest request is kept.
async function go(decisions) {
  const last = shown?.num_decisions ?? Infinity;
  target = { record: record(), decisions: Math.max(0, Math.min(decisions, last)) };
  if (moving) return;
  moving = true;
  let here;
  do {
    here = target;
    const view = await ask("records/moment", here);
    if (view) show(view);
    await sleep(STEP);
  } while (here !== target);
  moving = false;
  if (shown) {
    advise();
    drawJudgement();
  } else showRefusal();
}

async function copyLink() {
  const link = await linkTo(record(), target.decisions);
  if (await copyText(link, $("position"))) return;
  $("error").append(" ", make("input", { value: link, readOnly: true }));
}

function show(view) {
  if (names?.length === view.names.length) view.names = names;
  shown = view;
  drawTable(view);
  drawCourse($("course"), view);
  $("position").textContent = t("Copy link");
  for (const name of ["review", "asks", "compares", "lost"]) $(name).hidden = false;
  $("moment").max = view.num_decisions;
  $("moment").value = target.decisions;
  $("place").textContent =
    view.chosen === null
      ? tn("after {count} decision", "after {count} decisions", view.num_decisions)
      : t("decision {number} of {count}", { number: view.decisions + 1, count: view.num_decisions });
  saveMoment($("which").value, view.decisions);
  for (const name of ["before", "earlier"]) $(name).disabled = view.decisions === 0;
  for (const name of ["after", "later"]) $(name).disabled = view.decisions === view.num_decisions;
}

// The server has refused this game, or does not answer. The page shows the reason already.
function showRefusal() {
  const why = $("error").textContent;
  complain(games.length > 1 ? `${gameName(Number($("which").value))}: ${why}` : why);
  offerLobby();
  for (const name of ["players", "trick", "hand", "choices", "events"]) $(name).replaceChildren();
  for (const name of ["round", "status", "place"]) $(name).textContent = "";
  for (const name of ["options", "advice", "opinion", "lost", "asks", "compares", "course"])
    $(name).hidden = true;
  for (const name of ["earlier", "before", "after", "later", "last", "pad"]) $(name).disabled = true;
  for (const name of ["table", "review"]) $(name).hidden = games.length < 2; // to choose another game of the file
}

// --- agents

// Asks a question about the game that is shown: once, unless it fails.
function askOnce(address, question) {
  const key = JSON.stringify([address, $("which").value, question]);
  if (!answers.has(key)) {
    const promise = ask(address, { record: record(), ...question });
    answers.set(key, promise);
    promise.then((found) => {
      if (found === null) answers.delete(key);
    });
  }
  return answers.get(key);
}

async function advise() {
  await Promise.all([adviseBy($("adviser").value, $("advice")), adviseBy($("second").value, $("opinion"))]);
}

async function adviseBy(agent, table) {
  const here = shown;
  table.dataset.agent = agent;
  table.hidden = !agent || here.chosen === null;
  if (table.hidden) return;
  if (!table.tBodies[0].rows.length) drawThinking(agent, table);
  const advice = await askOnce("records/assessment", { decisions: here.decisions, agent });
  if (!advice || here !== shown || agent !== table.dataset.agent) return;
  drawAdvice(agent, advice, table, here.chosen);
  drawRecognised(here, advice, table);
}

async function drawJudgement() {
  const isAsked = $("judge").ariaPressed === "true";
  $("chart").hidden = !isAsked;
  if (!isAsked) return;
  const here = shown;
  const caption = $("chart").querySelector("figcaption");
  const round_number = here.scene.round_number;
  const values = { agent: levelName(judge), number: round_number };
  const drawn = `${$("which").value} ${round_number}`;
  if ($("chart").dataset.drawn !== drawn) {
    caption.textContent = t("{agent} is judging round {number} …", values);
    for (const part of [$("bars"), $("axis"), $("sums")]) part.replaceChildren();
  }
  const judgement = await askOnce("records/judgement", { round_number, agent: judge });
  if (here !== shown) return;
  $("chart").dataset.drawn = drawn;
  caption.textContent = "";
  if (!judgement) return;
  values.seconds = decimal(judgement.seconds, 1);
  caption.textContent = t(
    "Round {number}: points lost by each decision, judged by {agent} in {seconds} s",
    values,
  );
  drawBars(judgement);
  drawSums(judgement);
}

// All bars are one slider: a click goes to the nearest, and the arrow keys go from one to the next.
function drawBars({ decisions }) {
  const highest = Math.max(LOWEST_SCALE, ...decisions.map((decision) => decision.lost));
  const marks = [highest, highest / 2, 0].map((points) => decimal(points, highest < 10 ? 1 : 0));
  $("axis").replaceChildren(...marks.map((textContent) => make("span", { textContent })));
  $("bars").replaceChildren(...decisions.map((decision) => barOf(decision, highest)));
  const here = Math.max(
    0,
    decisions.findLastIndex(({ number }) => number <= shown.decisions),
  );
  const values = { ariaValueMin: 1, ariaValueMax: decisions.length, ariaValueNow: here + 1 };
  Object.assign($("bars"), values, { ariaValueText: decisions.length ? titleOf(decisions[here]) : "" });
  $("bars").onclick = ({ clientX }) => goToBar(nearest(clientX));
  $("bars").onkeydown = (event) => {
    const to = { ArrowLeft: here - 1, ArrowRight: here + 1, Home: 0, End: decisions.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation(); // these keys go through the whole game elsewhere
    if (to in decisions) go(decisions[to].number);
  };
  const marked = $("bars").querySelector("[data-shown]");
  if (marked) $("bars").scrollLeft = marked.offsetLeft - $("bars").offsetLeft - $("bars").clientWidth / 2;
}

function barOf(decision, highest) {
  const bar = make("span", { className: isLoss(decision) ? "bar" : "bar noise" });
  bar.style.height = `${(5 * Math.max(decision.lost, 0)) / highest}rem`;
  const track = make("span", { className: "track" }, bar);
  const column = make("span", { className: `column seat${decision.seat}`, title: titleOf(decision) });
  column.append(track, make("span", {}, decision.seat + 1));
  column.dataset.number = decision.number;
  column.toggleAttribute("data-shown", decision.number === shown.decisions);
  return column;
}

const middleOf = (column) => {
  const { left, right } = column.getBoundingClientRect();
  return (left + right) / 2;
};

function nearest(x) {
  const distance = (column) => Math.abs(middleOf(column) - x);
  return [...$("bars").children].toSorted((one, other) => distance(one) - distance(other))[0];
}

function goToBar(column) {
  if (column) go(Number(column.dataset.number));
}

function titleOf(decision) {
  const { seat, chosen, best, lost } = decision;
  const values = { seat: seatLabel(shown, seat), action: actionName(chosen), points: decimal(lost, 1) };
  return isLoss(decision)
    ? t("{seat}: {action}, lost {points}; better {best}", { ...values, best: actionName(best) })
    : t("{seat}: {action}, no clear loss", values);
}

function drawSums({ par, seats }) {
  const rows = seats.map((sums) => sumRow(seatLabel(shown, sums.seat), { ...sums, par }));
  $("sums").replaceChildren(row("th", sumHeadings("")), ...rows);
}
