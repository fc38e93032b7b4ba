// Games that were played, decision by decision: what agents think of each, and where points were lost.
import { $, actionName, ask, complain, make, row, signed, sleep } from "./elements.js";
import { leaveBy, seatName, show, showAdvice, think } from "./table.js";

export const STUDY = "study";
const KEPT = "wizard study";
const PLACE = "wizard study, place"; // which game of the file, and after how many decisions
const LEAST = 0.05; // points: what is less is not called lost
const STEP = 60; // milliseconds between two requests, where somebody keeps a key pressed
let games = [];
let names = null;
let shown = null; // what the server told of the decision that is shown
const asked = new Map(); // answers of agents, by what they were asked

// Keep the text of a file of records for this tab, and go to its study.
export function look(text, called = null) {
  if (!text.trim()) return complain("This file is empty.");
  sessionStorage.removeItem(PLACE);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([text, called]));
  } catch {
    return complain("This file is too large for the browser to keep.");
  }
  location.hash = STUDY;
}

export function study() {
  const kept = sessionStorage.getItem(KEPT);
  if (kept === null) { location.hash = ""; return; }
  const [text, called] = JSON.parse(kept);
  games = text.split("\n").filter((line) => line.trim());
  names = called;
  $("which").replaceChildren(...games.map((_, number) => new Option(`Game ${number + 1}`, number)));
  $("which").hidden = games.length < 2;
  $("adviser").prepend(new Option("nobody", ""));
  $("paces").hidden = true;
  $("which").onchange = () => { shown = null; go(0); };
  $("moment").oninput = (event) => go(Number(event.target.value));
  $("before").onclick = () => go(wish.decisions - 1);
  $("after").onclick = () => go(wish.decisions + 1);
  $("earlier").onclick = () => go(shown.first_decisions.findLast((first) => first < wish.decisions) ?? 0);
  $("later").onclick = () => go(shown.first_decisions.find((first) => first > wish.decisions) ?? shown.num_decisions);
  $("adviser").onchange = advise;
  $("judges").onchange = judge;
  $("judge").onclick = () => {
    $("judge").setAttribute("aria-pressed", $("judge").getAttribute("aria-pressed") === "false");
    judge();
  };
  document.onkeydown = (event) => {
    if (event.target.closest("input, select, dialog") || shown === null) return;
    if (event.key === "ArrowLeft") go(wish.decisions - 1);
    if (event.key === "ArrowRight") go(wish.decisions + 1);
  };
  const [game, decisions] = JSON.parse(sessionStorage.getItem(PLACE) ?? "[0, 0]");
  $("which").value = game;
  go(decisions);
}

const record = () => games[Number($("which").value)];
let wish = null; // the game and the decision to be shown, the last that was asked for
let moving = false;

// Show the game after so many decisions; while an answer is awaited, only the last wish is remembered.
async function go(decisions) {
  wish = { record: record(), decisions: Math.max(0, Math.min(decisions, shown?.num_decisions ?? Infinity)) };
  if (moving) return;
  moving = true;
  let here;
  do {
    here = wish;
    const picture = await ask("records/moment", here);
    if (picture) display(picture);
    await sleep(STEP);
  } while (here !== wish);
  moving = false;
  if (shown) { advise(); judge(); }
  else refuse();
}

// The game that was chosen is none, or cannot be had: why is shown already.
function refuse() {
  const why = $("error").textContent.replace(/^line 1: /, "");
  complain(games.length > 1 ? `Game ${Number($("which").value) + 1}: ${why}` : why);
  leaveBy();
  for (const name of ["players", "trick", "hand", "choices", "events"]) $(name).replaceChildren();
  for (const name of ["round", "suits", "outcome", "status", "place"]) $(name).textContent = "";
  for (const name of ["options", "advice", "lost"]) $(name).hidden = true;
  for (const name of ["earlier", "before", "after", "later", "last", "pad"]) $(name).disabled = true;
  for (const name of ["hint", "asks", "back"]) $(name).hidden = true;
  $("table").hidden = $("study").hidden = games.length < 2; // another game of the file may be chosen
}

function display(picture) {
  if (names?.length === picture.names.length) picture.names = names;
  shown = picture;
  show(picture);
  for (const name of ["study", "asks", "lost"]) $(name).hidden = false;
  $("moment").max = picture.num_decisions;
  $("moment").value = wish.decisions;
  $("place").textContent = picture.chosen === null ? `after ${picture.num_decisions} decisions`
    : `decision ${picture.decisions + 1} of ${picture.num_decisions}`;
  sessionStorage.setItem(PLACE, JSON.stringify([$("which").value, picture.decisions]));
  $("before").disabled = $("earlier").disabled = picture.decisions === 0;
  $("after").disabled = $("later").disabled = picture.decisions === picture.num_decisions;
}

// The answer to a question about the game that is shown; each is asked once.
function answer(address, question) {
  const key = JSON.stringify([address, $("which").value, question]);
  if (!asked.has(key)) {
    const told = ask(address, { record: record(), ...question });
    asked.set(key, told);
    told.then((found) => { if (found === null) asked.delete(key); });
  }
  return asked.get(key);
}

async function advise() {
  const agent = $("adviser").value;
  const here = shown;
  $("advice").hidden = !agent || here.chosen === null;
  if ($("advice").hidden) return;
  if (!$("advice").tBodies[0].rows.length) think(agent);
  const told = await answer("records/opinion", { decisions: here.decisions, agent });
  if (told && here === shown && agent === $("adviser").value) showAdvice(agent, told);
}

async function judge() {
  const isAsked = $("judge").getAttribute("aria-pressed") === "true";
  $("chart").hidden = !isAsked;
  if (!isAsked) return;
  const agent = $("judges").value;
  const here = shown;
  const caption = $("chart").querySelector("figcaption");
  const round_number = here.scene.round_number;
  if ($("chart").dataset.round !== `${$("which").value} ${round_number} ${agent}`) {
    caption.textContent = `${agent} judges round ${round_number} …`;
    $("bars").replaceChildren();
    $("chart").querySelector("tbody").replaceChildren();
  }
  const told = await answer("records/judgement", { round_number, agent });
  if (here !== shown || agent !== $("judges").value) return;
  $("chart").dataset.round = `${$("which").value} ${round_number} ${agent}`;
  caption.textContent = told ? `Round ${round_number}: points that decisions lost, judged by ${agent}` : "";
  if (told) { drawBars(told); showSums(told); }
}

function drawBars({ decisions }) {
  const highest = Math.max(5, ...decisions.map((one) => one.lost));
  const focused = document.activeElement?.closest("#bars li")?.dataset.number;
  $("bars").replaceChildren(...decisions.map((one) => {
    const bar = make("button", { onclick: () => go(one.number) }, make("span", { className: "bar" }));
    bar.firstChild.style.height = `${(5 * Math.max(one.lost, 0)) / highest}rem`;
    const better = one.best === one.chosen || one.lost < LEAST ? "" : `; better ${actionName(one.best)}`;
    bar.title = `${seatName(one.seat)}: ${actionName(one.chosen)}, lost ${one.lost.toFixed(1)}${better}`;
    bar.setAttribute("aria-label", bar.title);
    const item = make("li", { className: `seat${one.seat}` }, bar, make("span", { textContent: one.seat + 1 }));
    item.dataset.number = one.number;
    if (one.number === shown.decisions) { item.dataset.shown = ""; bar.setAttribute("aria-current", "true"); }
    return item;
  }));
  const marked = document.querySelector("#bars li[data-shown]");
  if (marked) $("bars").scrollLeft = marked.offsetLeft - $("bars").offsetLeft - $("bars").clientWidth / 2;
  if (focused) document.querySelector(`#bars li[data-number="${focused}"] button`)?.focus();
}

function showSums({ par, seats }) {
  const rows = seats.map((seat) => row("td", [
    `${seat.seat + 1}. ${shown.names[seat.seat]}`, signed(seat.points), signed(par), signed(seat.luck), signed(seat.lost).replace("+", "")]));
  if (rows.length) rows.unshift(row("th", ["", "points =", "par +", "luck −", "lost"]));
  $("chart").querySelector("tbody").replaceChildren(...rows);
}
