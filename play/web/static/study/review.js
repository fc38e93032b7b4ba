// Finished games, decision by decision: what agents think of each decision, and where points were lost.
import { goTo, LOBBY } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, actionName, complain, make, offerLobby, row, signed, sleep } from "../shared/elements.js";
import { savedPlace, savedRecords, savePlace } from "../shared/storage.js";
import { drawAdvice, drawTable, drawThinking, seatName } from "../table/drawing.js";

const LEAST_LOSS = 0.05; // points; a smaller difference is not called a loss
const STEP = 60; // milliseconds between two requests while a key is held down
const LOWEST_SCALE = 5; // points; the height of the chart is at least this

let games = []; // the records in the file
let names = null; // of the players, if the game was played here
let shown = null; // the view of the decision that is shown
let wanted = null; // the game and the decision to show: the latest that was asked for
let moving = false; // whether a request for a view is under way
const answers = new Map(); // the agents' answers, by question

export function review(agents) {
  const kept = savedRecords();
  if (kept === null) return goTo(LOBBY);
  const [text, players] = kept;
  games = text.split("\n").filter((line) => line.trim());
  names = players;
  $("which").replaceChildren(...games.map((_, number) => new Option(`Game ${number + 1}`, number)));
  $("which").hidden = games.length < 2;
  offerAgents(agents);
  for (const name of ["hint", "back", "paces"]) $(name).hidden = true;
  listen();
  const [game, decisions] = savedPlace();
  $("which").value = game;
  go(decisions);
}

function offerAgents(agents) {
  $("adviser").append(new Option("nobody", ""), ...agents.toReversed().map(({ name }) => new Option(name)));
  $("adviser").value = agents.at(-1).name;
  const judges = agents.filter((agent) => agent.judges);
  $("judges").append(...judges.toReversed().map(({ name }) => new Option(name)));
  $("judging").hidden = !judges.length;
}

function listen() {
  $("which").onchange = () => {
    shown = null;
    go(0);
  };
  $("moment").oninput = (event) => go(Number(event.target.value));
  $("before").onclick = () => go(wanted.decisions - 1);
  $("after").onclick = () => go(wanted.decisions + 1);
  $("earlier").onclick = () => go(shown.first_decisions.findLast((first) => first < wanted.decisions) ?? 0);
  $("later").onclick = () =>
    go(shown.first_decisions.find((first) => first > wanted.decisions) ?? shown.num_decisions);
  $("adviser").onchange = advise;
  $("judges").onchange = judge;
  $("judge").onclick = () => {
    $("judge").setAttribute("aria-pressed", $("judge").getAttribute("aria-pressed") === "false");
    judge();
  };
  document.onkeydown = (event) => {
    if (event.target.closest("input, select, dialog") || shown === null) return;
    if (event.key === "ArrowLeft") go(wanted.decisions - 1);
    if (event.key === "ArrowRight") go(wanted.decisions + 1);
  };
}

// --- from decision to decision

const record = () => games[Number($("which").value)];

// Shows the game after this many decisions. While an answer is on its way, only the latest wish is remembered.
async function go(decisions) {
  const last = shown?.num_decisions ?? Infinity;
  wanted = { record: record(), decisions: Math.max(0, Math.min(decisions, last)) };
  if (moving) return;
  moving = true;
  let here;
  do {
    here = wanted;
    const view = await ask("records/moment", here);
    if (view) show(view);
    await sleep(STEP);
  } while (here !== wanted);
  moving = false;
  if (shown) {
    advise();
    judge();
  } else refused();
}

function show(view) {
  if (names?.length === view.names.length) view.names = names;
  shown = view;
  drawTable(view);
  for (const name of ["review", "asks", "lost"]) $(name).hidden = false;
  $("moment").max = view.num_decisions;
  $("moment").value = wanted.decisions;
  $("place").textContent =
    view.chosen === null
      ? `after ${view.num_decisions} decisions`
      : `decision ${view.decisions + 1} of ${view.num_decisions}`;
  savePlace($("which").value, view.decisions);
  for (const name of ["before", "earlier"]) $(name).disabled = view.decisions === 0;
  for (const name of ["after", "later"]) $(name).disabled = view.decisions === view.num_decisions;
}

// The server has refused this game, or does not answer. The page shows the reason already.
function refused() {
  const why = $("error").textContent.replace(/^line 1: /, "");
  complain(games.length > 1 ? `Game ${Number($("which").value) + 1}: ${why}` : why);
  offerLobby();
  for (const name of ["players", "trick", "hand", "choices", "events"]) $(name).replaceChildren();
  for (const name of ["round", "suits", "outcome", "status", "place"]) $(name).textContent = "";
  for (const name of ["options", "advice", "lost", "asks"]) $(name).hidden = true;
  for (const name of ["earlier", "before", "after", "later", "last", "pad"]) $(name).disabled = true;
  for (const name of ["table", "review"]) $(name).hidden = games.length < 2; // to choose another game of the file
}

// --- what agents say

// The answer to a question about the game that is shown. Each question is asked once, unless it fails.
function answer(address, question) {
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
  const agent = $("adviser").value;
  const here = shown;
  $("advice").hidden = !agent || here.chosen === null;
  if ($("advice").hidden) return;
  if (!$("advice").tBodies[0].rows.length) drawThinking(agent);
  const advice = await answer("records/assessment", { decisions: here.decisions, agent });
  if (advice && here === shown && agent === $("adviser").value) drawAdvice(agent, advice, here.chosen);
}

async function judge() {
  const isAsked = $("judge").getAttribute("aria-pressed") === "true";
  $("chart").hidden = !isAsked;
  if (!isAsked) return;
  const agent = $("judges").value;
  const here = shown;
  const caption = $("chart").querySelector("figcaption");
  const round_number = here.scene.round_number;
  const drawn = `${$("which").value} ${round_number} ${agent}`;
  if ($("chart").dataset.drawn !== drawn) {
    caption.textContent = `${agent} is judging round ${round_number} …`;
    $("bars").replaceChildren();
    $("chart").querySelector("tbody").replaceChildren();
  }
  const judgement = await answer("records/judgement", { round_number, agent });
  if (here !== shown || agent !== $("judges").value) return;
  $("chart").dataset.drawn = drawn;
  caption.textContent = judgement
    ? `Round ${round_number}: points lost by each decision, judged by ${agent} in ${judgement.seconds.toFixed(1)} s`
    : "";
  if (judgement) {
    drawBars(judgement);
    drawSums(judgement);
  }
}

function drawBars({ decisions }) {
  const highest = Math.max(LOWEST_SCALE, ...decisions.map((decision) => decision.lost));
  const focused = document.activeElement?.closest("#bars li")?.dataset.number;
  $("bars").replaceChildren(
    ...decisions.map(({ number, seat, chosen, best, lost }) => {
      const bar = make("span", { className: "bar" });
      bar.style.height = `${(5 * Math.max(lost, 0)) / highest}rem`;
      const better = best === chosen || lost < LEAST_LOSS ? "" : `; better ${actionName(best)}`;
      const title = `${seatName(shown, seat)}: ${actionName(chosen)}, lost ${lost.toFixed(1)}${better}`;
      const button = make("button", { title, onclick: () => go(number) }, bar);
      button.setAttribute("aria-label", title);
      const item = make("li", { className: `seat${seat}` }, button, make("span", { textContent: seat + 1 }));
      item.dataset.number = number;
      if (number === shown.decisions) {
        item.dataset.shown = "";
        button.setAttribute("aria-current", "true");
      }
      return item;
    }),
  );
  const marked = document.querySelector("#bars li[data-shown]");
  if (marked) {
    $("bars").scrollLeft = marked.offsetLeft - $("bars").offsetLeft - $("bars").clientWidth / 2;
  }
  if (focused) document.querySelector(`#bars li[data-number="${focused}"] button`)?.focus();
}

function drawSums({ par, seats }) {
  const rows = seats.map(({ seat, points, luck, lost }) => {
    const sums = [signed(points), signed(par), signed(luck), signed(lost).replace("+", "")];
    return row("td", [`${seat + 1}. ${shown.names[seat]}`, ...sums]);
  });
  if (rows.length) rows.unshift(row("th", ["", "points =", "par +", "luck −", "lost"]));
  $("chart")
    .querySelector("tbody")
    .replaceChildren(...rows);
}
