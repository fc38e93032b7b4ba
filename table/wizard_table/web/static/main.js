// Where the page begins: opens what the address names.

import { drawIcons } from "./drawings/icons.js";
import { t } from "./language.js";
import { offerSeat, showFull, showLobby } from "./lobby/lobby.js";
import {
  currentPage,
  DAILY,
  DRILLS,
  LOBBY,
  MATCH,
  PROFILE,
  RESULT,
  REVIEW,
  SHEET,
} from "./shared/address.js";
import { ask, askReadiness, isReady, loadScripts, untilReady } from "./shared/connection.js";
import { complain, offerLobby } from "./shared/elements.js";
import { offerSettings } from "./shared/settings.js";
import { savedToken } from "./shared/storage.js";
import { duringVisit, endVisit, keepBlankPage } from "./shared/visit.js";
import { sit } from "./table/table.js";

const LATER = [REVIEW, RESULT, DRILLS, DAILY, SHEET, PROFILE, MATCH];

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
  else if (LATER.some((start) => page.startsWith(start))) openLater(page);
  else openTable(page);
}

// Opens one of the pages whose scripts may have to be loaded first.
async function openLater(page) {
  const pages = await duringVisit(loadScripts(() => import("./later.js")));
  if (pages === null) {
    complain(t("The server is not responding."));
    return offerLobby();
  }
  if (page === REVIEW) pages.showReview(agents);
  else if (page.startsWith(RESULT)) pages.showResult(page.slice(RESULT.length), agents);
  else if (page === DRILLS) pages.showDrills(agents);
  else if (page === SHEET) pages.showSheet();
  else if (page === PROFILE) pages.showProfile();
  else if (page === DAILY) pages.showMatch(DAILY);
  else pages.showMatch(page.slice(MATCH.length));
}

// Opens a table at the seat that this browser has taken; else it offers an open one, or to watch. Agents are
// watched at once.
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
    if (table.people) return showFull(table, agents, () => sit(name, null, agents));
  }
  sit(name, token, agents);
}
