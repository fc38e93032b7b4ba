// A table where a game is played or watched: draws each view that arrives, and sends what is chosen.
import { keepGame } from "../drills/collection.js";
import { followMatch } from "../duplicate/compare.js";
import { followLuck } from "../judging/live.js";
import { t } from "../language.js";
import { DRILLS, goTo, REVIEW } from "../shared/address.js";
import { fetchRecord, recordAddress } from "../shared/connection.js";
import { $, actionName, complain, levelName, make, offerLobby } from "../shared/elements.js";
import { connect } from "../shared/socket.js";
import { saveRecords } from "../shared/storage.js";
import { onEachVisit } from "../shared/visit.js";
import { drawHint, drawRecognised, drawThinking } from "./advice.js";
import { offerLessons, teach } from "./coach.js";
import { drawFigures } from "./decision.js";
import { drawTable } from "./drawing.js";
import { drawGuests, offerGuests } from "./guests.js";
import { listen } from "./keys.js";
import { drawPlayers } from "./seats.js";

const PAUSE = 200; // milliseconds that the slider must rest before its value is sent

const link = (href, textContent) => make("a", { href, textContent });
let send = null; // sends a message over the connection
let judges = []; // the agents that can judge decisions
let advisers = []; // those, and the agents that recognise players
let view = null; // the latest
let hint = null; // the one that is shown, until a decision is taken
let acted = null; // the number of decisions in the view that a click acted upon, until the server answers
let pacing = null; // the timer of a pace that is not sent yet
onEachVisit(() => {
  clearTimeout(pacing);
  view = hint = acted = pacing = null;
});

export function sit(table, token, agents) {
  const names = (some) => some.map(({ name }) => name);
  judges = names(agents.filter((agent) => agent.judges));
  advisers = names(agents.filter((agent) => agent.judges || agent.recognises));
  send = connect(table, token, receive, showDisconnected);
  $("adviser").append(...advisers.map((name) => new Option(levelName(name), name)));
  $("hint").onclick = () => {
    const agent = $("adviser").value;
    send({ kind: "hint", agent });
    $("hint").disabled = true;
    hint = null;
    drawThinking(agent);
  };
  $("back").onclick = () => {
    $("back").disabled = true;
    send({ kind: "take_back" });
  };
  $("pace").oninput = () => {
    const seconds = Number($("pace").value);
    clearTimeout(pacing);
    pacing = setTimeout(() => {
      pacing = null;
      send({ kind: "pace", seconds });
    }, PAUSE);
    showPace();
  };
  $("advice").onclick = () => {
    $("advice").hidden = true;
    hint = null;
  };
  offerGuests(table, send);
  offerLessons();
  listen();
}

function receive(message) {
  if (message.kind === "view") show(message);
  else if (message.kind === "presence") showPresence(message);
  else if (message.kind === "hint") showHint(message);
  else if (message.kind === "error") showRefusal(message.why);
}

function show(received) {
  const decided = view?.table !== received.table || view.decisions !== received.decisions;
  view = received;
  acted = null;
  followLuck(view, judges);
  followMatch(view);
  drawTable(view, choose);
  drawGuests(view);
  teach(view);
  if (view.scene.phase === "over") offerRecord();
  $("hint").hidden = view.you === null || !advisers.length;
  $("asks").hidden = view.you === null || advisers.length < 2;
  $("back").hidden = view.you === null;
  keepHint(decided);
  $("back").disabled = !view.can_take_back;
  if (pacing === null) $("pace").value = view.seconds;
  showPace();
}

// Joins and leaves change nothing else.
function showPresence({ presence, watchers }) {
  view = { ...view, presence, watchers };
  drawPlayers(view);
  drawGuests(view);
}

// A second click while the first is under way is ignored.
function choose(action) {
  if (acted === view.decisions) return;
  acted = view.decisions;
  complain("");
  send({ kind: "act", action, decisions: view.decisions });
}

// A view may change the pace alone: a hint for this decision stays, answered or not.
function keepHint(decided) {
  if (decided) {
    hint = null;
    $("advice").hidden = true;
  }
  if (hint !== null) redrawHint();
  const underWay = hint === null && !$("advice").hidden;
  $("hint").disabled = underWay || !view.legal.length;
}

// Returns the action that the agent would choose.
function redrawHint() {
  drawFigures(hint.choices);
  const best = drawHint(hint.agent, hint);
  drawRecognised(view, hint);
  return best;
}

function showHint(message) {
  $("hint").disabled = !view.legal.length;
  if (message.decisions !== view.decisions) return;
  hint = message;
  const values = { agent: levelName(hint.agent), choice: actionName(redrawHint()) };
  $("news").textContent = t("{agent} would choose: {choice}", values);
}

function showRefusal(why) {
  complain(why);
  acted = null;
  if (view === null) return offerLobby();
  $("advice").hidden ||= "stale" in $("advice").dataset;
  $("hint").disabled = !view.legal.length;
  for (const one of document.querySelectorAll("[data-chosen]")) delete one.dataset.chosen;
}

function showDisconnected() {
  if (hint === null) $("advice").hidden = true;
  const buttons = document.querySelectorAll("#choices button, #hand button, nav button:not(.icon)");
  for (const button of buttons) button.disabled = true;
}

function offerRecord() {
  const { table, names, you } = view;
  const own = you !== null && judges.length > 0;
  if (own) keepGame(view, judges[0]);
  const review = async () => {
    if (saveRecords((await fetchRecord(table)) ?? "", names)) goTo(REVIEW);
  };
  const button = make("button", { onclick: review }, t("Review"));
  $("status").append(" ", link(recordAddress(table), t("Record")), " · ", button, " · ");
  if (own) $("status").append(link(`#${DRILLS}`, t("Drills")), " · ");
  $("status").append(link("#", t("Another game")));
}

function showPace() {
  $("seconds").textContent = `${Number($("pace").value).toFixed(1)} s`;
  $("pace").ariaValueText = $("seconds").textContent;
}
