// Where the page begins: opens what the address names.
import { drills } from "./drills/drills.js";
import { match } from "./duplicate/match.js";
import { result } from "./judging/result.js";
import { t } from "./language.js";
import { join, lobby } from "./lobby/lobby.js";
import { currentPage, DAILY, DRILLS, LOBBY, MATCH, RESULT, REVIEW, STUDY } from "./shared/address.js";
import { ask, askQuietly, untilReady } from "./shared/connection.js";
import { complain, offerLobby } from "./shared/elements.js";
import { offerSettings } from "./shared/settings.js";
import { savedToken, savePlace, saveRecords } from "./shared/storage.js";
import { readLink } from "./study/link.js";
import { review } from "./study/review.js";
import { sit } from "./table/table.js";

window.onhashchange = () => location.reload();
offerSettings();
const agents = (await askQuietly("agents")) ?? (await untilReady().then(() => ask("agents")));
if (agents) open(currentPage());

function open(page) {
  if (page === LOBBY) lobby(agents);
  else if (page === REVIEW) review(agents);
  else if (page.startsWith(STUDY)) study(page);
  else if (page.startsWith(RESULT)) result(page.slice(RESULT.length), agents);
  else if (page === DRILLS) drills(agents);
  else if (page === DAILY) match(DAILY);
  else if (page.startsWith(MATCH)) match(page.slice(MATCH.length));
  else openTable(page);
}

// Opens the review at the moment that a link names.
async function study(page) {
  const found = await readLink(page);
  if (found === null) {
    complain(t("This link is damaged."));
    return offerLobby();
  }
  if (!saveRecords(found.record)) return offerLobby();
  savePlace(0, found.decisions);
  location.replace(`#${REVIEW}`);
}

// A seat that this browser has taken, else an open one, else watching.
async function openTable(name) {
  if (!/^[\w-]+$/.test(name)) {
    complain(t("there is no such table"));
    return offerLobby();
  }
  const token = savedToken(name);
  if (token === null) {
    const table = await ask(`tables/${name}`);
    if (table === null) return offerLobby();
    if (table.open.length) return join(table);
  }
  sit(name, token, agents);
}
