// People at the table: they are invited while seats are open, the host begins the game, and they may leave.
import { t } from "../language.js";
import { goTo, LOBBY } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, copyText } from "../shared/elements.js";

let latest = null; // the latest view
let invitation; // to this table, once the server has sent it
let asking; // for the invitation

export function offerGuests(table, send) {
  invitation = null;
  asking = false;
  const go = () => {
    send({ kind: "leave" });
    goTo(LOBBY);
  };
  $("invite").onclick = $("invites").onclick = () => showInvitation(table);
  $("begin").onclick = () => {
    $("begin").disabled = true;
    send({ kind: "begin" });
  };
  $("leave").onclick = () => (costsSomething() ? $("leaving").showModal() : go());
  $("left").onclick = go;
  $("copy").onclick = () => copyText($("link").href, $("copy"));
  $("copies").onclick = () => copyText($("address").value, $("copies"));
  $("address").onfocus = () => $("address").select();
}

export function drawGuests(view) {
  latest = view;
  $("guests").hidden = !view.waiting;
  $("table").toggleAttribute("data-waiting", view.waiting);
  $("begin").hidden = $("stand").hidden = view.host === null || view.host !== view.you;
  disableGuests(false);
  $("invite").hidden = !view.open.length || view.waiting;
  $("leave").hidden = view.you === null || view.scene.phase === "over";
  $("watching").hidden = !view.watchers;
  $("watching").textContent = t("watching: {count}", { count: view.watchers });
  if (view.waiting) showAddress(view.table);
}

// Beginning and leaving need the connection.
export function disableGuests(disabled) {
  for (const name of ["begin", "leave", "left"]) $(name).disabled = disabled;
}

// While others play or watch, an agent takes the place of a person who leaves.
function costsSomething() {
  const others = latest.presence.some(
    (one, seat) => seat !== latest.you && (one === "here" || one === "away"),
  );
  return !latest.waiting && (others || latest.watchers > 0);
}

async function showAddress(table) {
  if (invitation === null && !asking) {
    asking = true;
    invitation = await ask(`tables/${table}/invitation`);
    asking = false;
  }
  if (invitation !== null) $("address").value = invitation.address;
}

async function showInvitation(table) {
  invitation ??= await ask(`tables/${table}/invitation`);
  if (invitation === null) return;
  const { address, reachable, qr } = invitation;
  $("qr").src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
  $("link").href = $("link").textContent = address;
  $("unreachable").hidden = reachable;
  $("copy").textContent = t("Copy link");
  $("invitation").showModal();
}
