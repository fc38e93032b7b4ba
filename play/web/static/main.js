// Where the page begins: opens what the address names.

import { drawIcons } from "./drawings/icons.js";
import { showDrills } from "./drills/drills.js";
import { showMatch } from "./duplicate/match.js";
import { showResult } from "./judging/result.js";
import { t } from "./language.js";
import { offerSeat, showLobby } from "./lobby/lobby.js";
import { currentPage, DAILY, DRILLS, LOBBY, MATCH, RESULT, REVIEW, STUDY } from "./shared/address.js";
import { ask, askReadiness, isReady, untilReady } from "./shared/connection.js";
import { complain, offerLobby } from "./shared/elements.js";
import { offerSettings } from "./shared/settings.js";
import { savedToken, saveMoment, saveRecords } from "./shared/storage.js";
import { duringVisit, endVisit, keepBlankPage } from "./shared/visit.js";
import { readLink } from "./study/link.js";
import { showReview } from "./study/review.js";
import { sit } from "./table/table.js";

drawIcons();
keepBlankPage();
offerSettings();
const [agents] = await Promise.all([ask("agents"), askReadiness()]);
window.onhashchange = () => {
  endVisit();
  offerSettings();
  open(currentPage());
};
open(currentPage());

function open(page) {
  if (page === LOBBY) showLobby(agents);
  else if (page === REVIEW) showReview(agents);
  else if (page.startsWith(STUDY)) openStudy(page);
  else if (page.startsWith(RESULT)) showResult(page.slice(RESULT.length), agents);
  else if (page === DRILLS) showDrills(agents);
  else if (page === DAILY) showMatch(DAILY);
  else if (page.startsWith(MATCH)) showMatch(page.slice(MATCH.length));
  else openTable(page);
}

// Opens the review at the moment that a link names.
async function openStudy(page) {
  const found = await duringVisit(readLink(page));
  if (found === null) {
    complain(t("This link is damaged."));
    return offerLobby();
  }
  if (!saveRecords(found.record)) return offerLobby();
  saveMoment(0, found.decisions);
  location.replace(`#${REVIEW}`);
}

// Opens a table at the seat that this browser has taken; else it offers an open one, or watches.
async function openTable(name) {
  if (!/^[\w-]+$/.test(name)) {
    complain(t("there is no such table"));
    return offerLobby();
  }
  if (!isReady()) await untilReady();
  const token = savedToken(name);
  if (token === null) {
    const table = await ask(`tables/${name}`);
    if (table === null) return offerLobby();
    if (table.open.length) return offerSeat(table);
  }
  sit(name, token, agents);
}
