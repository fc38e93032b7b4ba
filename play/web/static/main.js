// Where the page begins: opens what the address names.
import { currentPage, LOBBY, REVIEW } from "./address.js";
import { ask } from "./connection.js";
import { complain, offerLobby } from "./elements.js";
import { t } from "./language.js";
import { join, lobby } from "./lobby.js";
import { review } from "./review.js";
import { savedToken } from "./storage.js";
import { sit } from "./table.js";

window.onhashchange = () => location.reload();
const agents = await ask("agents");
if (agents) open(currentPage());

function open(page) {
  if (page === LOBBY) lobby(agents);
  else if (page === REVIEW) review(agents);
  else openTable(page);
}

// A seat that this browser has taken, else an open one, else watching.
async function openTable(name) {
  if (!/^[\w-]+$/.test(name)) {
    complain(t("there is no such table"));
    return offerLobby();
  }
  const token = savedToken(name);
  if (token === null) {
    const seats = await ask(`tables/${name}/seats`);
    if (seats === null) return offerLobby();
    if (seats.open.length) return join(name);
  }
  sit(name, token, agents);
}
