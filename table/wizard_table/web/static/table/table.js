// A table where a game is played or watched: draws each view that arrives, and sends what is chosen.

import { decimal, t } from "../language.js";
import { keepGame } from "../pages/collection.js";
import { goTo } from "../shared/address.js";
import { isCompiled, loadScripts, untilCompiled } from "../shared/connection.js";
import { $, complain, judgeOf, make, offerLobby } from "../shared/elements.js";
import { connect } from "../shared/socket.js";
import { savedToken, saveMatch, saveToken } from "../shared/storage.js";
import { duringVisit, onEachVisit } from "../shared/visit.js";
import { drawHint, drawThinking } from "./advice.js";
import { drawTimes, tellOverdue, withMoments } from "./clock.js";
import { offerLessons, teach } from "./coach.js";
import { drawFigures, suggest } from "./decision.js";
import { drawTable } from "./drawing.js";
import { drawEmotes, offerEmotes, showEmote } from "./emotes.js";
import { disableGuests, drawGuests, offerGuests } from "./guests.js";
import { listen } from "./keys.js";
import { showDialog } from "./pad.js";
import { closingView, endsRound, keepForLater, keepPresence, showRoundEnd } from "./scored.js";
import { drawPlayers } from "./seats.js";

const PAUSE = 200; // milliseconds that the slider must rest before its value is sent

let send = null; // sends a message over the connection
let judge = null; // the agent that judges decisions, if there is one
let view = null; // the one that is shown
let hint = null; // the one that is shown, until a decision is taken
let acted = null; // the number of decisions in the view that a click acted upon, until the server answers
let pacing = null; // the timer of a pace that is not sent yet
onEachVisit(() => {
  clearTimeout(pacing);
  view = hint = acted = pacing = null;
});

export function sit(table, token, agents) {
  judge = judgeOf(agents);
  send = connect(table, token, receive, showDisconnected);
  $("hint").onclick = askHint;
  $("list").onclick = showAllChoices;
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
  offerGuests(table, send);
  offerEmotes(send);
  offerLessons();
  listen();
  untilCompiled().then(() => view !== null && offerHint());
}

function showAllChoices() {
  const copy = $("advice").cloneNode(true);
  copy.removeAttribute("id");
  copy.hidden = false;
  showDialog(make("p", {}, hint.why), copy);
}

// A hint that is shown is put away.
function askHint() {
  if (hint !== null) return forgetHint();
  send({ kind: "hint", agent: judge });
  $("hint").disabled = true;
  drawThinking(judge);
}

function receive(message) {
  if (message.kind === "view") arrive(withMoments(message));
  else if (message.kind === "presence") showPresence(withMoments(message));
  else if (message.kind === "emote") showEmote(view, message, () => drawEmotes(view));
  else if (message.kind === "overdue") tellOverdue(message);
  else if (message.kind === "hint") showHint(message);
  else if (message.kind === "next") moveOn(message.table);
  else if (message.kind === "error") showRefusal(message.why);
}

// To the next game: what opens a seat here opens the same seat there.
function moveOn(table) {
  if (view.you !== null) saveToken(table, savedToken(view.table));
  goTo(table);
}

// A view that ends a round waits until its last trick and its result have been seen.
function arrive(received) {
  if (keepForLater(received)) return;
  if (!endsRound(view, received)) return show(received);
  show(closingView(view, received));
  showRoundEnd(received, show);
}

function show(received) {
  const decided = view?.decisions !== received.decisions;
  view = received;
  acted = null;
  drawTable(view, choose);
  drawGuests(view);
  drawTimes(view);
  drawEmotes(view);
  if (view.scene.phase === "over") showPodium();
  else $("podium").hidden = true;
  if (view.you !== null && view.match !== null) saveMatch(view.match, view.table); // its link leads back here
  if (view.scene.phase === "over" && view.you !== null) {
    import("../pages/games.js").then(({ keepResult }) => keepResult(received));
    if (judge !== null) keepGame(view);
  }
  offerHint();
  $("back").hidden = view.you === null || view.presence.filter((one) => one !== "agent").length > 1;
  keepHint(decided);
  teach(view, hint !== null);
  $("back").disabled = !view.can_take_back;
  if (pacing === null) $("pace").value = view.seconds;
  showPace();
}

// Its scripts are loaded once a game ends.
async function showPodium() {
  const podium = await duringVisit(loadScripts(() => import("./podium.js")));
  if (podium === null) return complain(t("The server is not responding."));
  if (view.scene.phase === "over") podium.drawPodium(view, judge, () => send({ kind: "again" }));
}

// Hints come once the server has compiled what they need.
function offerHint() {
  $("hint").hidden = view.you === null || judge === null || !isCompiled();
}

// Joins and leaves change nothing else.
function showPresence({ presence, watchers, replaced_at }) {
  const changed = { presence, watchers, replaced_at };
  view = { ...view, ...changed };
  keepPresence(changed);
  drawPlayers(view);
  drawGuests(view);
  drawTimes(view);
  drawEmotes(view);
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
  if (decided) forgetHint();
  else if (hint !== null) redrawHint();
  const underWay = hint === null && !$("advice").hidden;
  $("hint").disabled = underWay || !view.legal.length;
}

function forgetHint() {
  hint = null;
  $("told").hidden = true;
  $("advice").hidden = true;
  drawFigures([]);
  $("hint").ariaPressed = "false";
}

// Returns the best action.
function redrawHint() {
  const best = drawHint(hint);
  drawFigures(hint.choices);
  $("told").hidden = false;
  $("told").firstElementChild.textContent = hint.why;
  $("hint").ariaPressed = "true";
  return best;
}

function showHint(message) {
  $("hint").disabled = !view.legal.length;
  if (message.decisions !== view.decisions) return;
  hint = message;
  suggest(redrawHint());
  $("news").textContent = hint.why;
  teach(view, true);
}

function showRefusal(why) {
  complain(why);
  acted = null;
  if (view === null) return offerLobby();
  $("advice").hidden ||= "stale" in $("advice").dataset;
  $("hint").disabled = !view.legal.length;
  for (const one of document.querySelectorAll("[data-chosen]")) delete one.dataset.chosen;
}

// Controls of the game wait for the next view; the others need no connection.
function showDisconnected() {
  if (hint === null) $("advice").hidden = true;
  const buttons = document.querySelectorAll("#choices button, #hand button, #hint, #back");
  for (const button of buttons) button.disabled = true;
  disableGuests(true);
}

function showPace() {
  $("seconds").textContent = `${decimal(Number($("pace").value), 1)} s`;
  $("pace").ariaValueText = $("seconds").textContent;
}
