// People at the table: they are invited, the host begins the game, and they may leave.
import { t } from "../language.js";
import { goTo, LOBBY } from "../shared/address.js";
import { ask } from "../shared/connection.js";
import { $, copyText } from "../shared/elements.js";

export function offerGuests(table, send) {
  $("invite").onclick = $("invites").onclick = () => invite(table);
  $("begin").onclick = () => {
    $("begin").disabled = true;
    send({ kind: "begin" });
  };
  $("leave").onclick = () => {
    send({ kind: "leave" });
    goTo(LOBBY);
  };
  $("copy").onclick = () => copyText($("link").href, $("copy"));
}

export function drawGuests(view) {
  $("guests").hidden = !view.waiting;
  $("begin").hidden = view.host === null || view.host !== view.you;
  $("begin").disabled = false;
  $("invite").hidden = !view.open.length;
  $("leave").hidden = view.you === null || view.scene.phase === "over";
  $("watching").hidden = !view.watchers;
  $("watching").textContent = t("watching: {count}", { count: view.watchers ?? 0 });
}

async function invite(table) {
  const invitation = await ask(`tables/${table}/invitation`);
  if (!invitation) return;
  const { address, reachable, qr } = invitation;
  $("qr").src = `data:image/svg+xml,${encodeURIComponent(qr)}`;
  $("link").href = $("link").textContent = address;
  $("unreachable").hidden = reachable;
  $("copy").textContent = t("Copy the link");
  $("settings").close();
  $("invitation").showModal();
}
