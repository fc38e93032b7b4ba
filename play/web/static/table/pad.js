// The score pad: beside the table where there is room, else in a dialog.
import { t } from "../language.js";
import { suitSign } from "../shared/cards.js";
import { $, make, row, signed } from "../shared/elements.js";
import { nameTag } from "./seats.js";

export function showDialog(...content) {
  $("dialog").firstElementChild.replaceChildren(...content);
  $("dialog").showModal();
}

export function drawPad(view) {
  $("scores").replaceChildren(scorePad(view));
  $("pad").disabled = !view.scene.pad.length;
  $("pad").onclick = () => showDialog(scorePad(view));
}

// A row for each round, the latest first: the total of each seat, and how it came about.
function scorePad(view) {
  const { pad, seats } = view.scene;
  const totals = seats.map(() => 0);
  const rounds = pad.map(([number, { trump, bids, tricks_won, points }]) => {
    const cells = bids.map((bid, seat) => {
      totals[seat] += points[seat];
      const met = bid === tricks_won[seat];
      const how = `${met ? "✓" : "✗"} ${tricks_won[seat]}/${bid} ${signed(points[seat])}`;
      const className = met ? "met" : "missed";
      return make("td", { className }, make("b", {}, totals[seat]), make("small", {}, how));
    });
    const suit = make("td", { className: trump ?? "" }, trump ? suitSign(trump) : "–");
    return make("tr", {}, make("th", { scope: "row" }, number), suit, ...cells);
  });
  const most = Math.max(...seats.map((seat) => seat.score));
  const second = seats.map((seat) => seat.score).toSorted((a, b) => b - a)[1];
  const behind = seats.map(({ score }) => (score === most ? signed(most - second) : signed(score - most)));
  const heads = seats.map(({ number }) => make("th", { scope: "col" }, nameTag(view, number)));
  const names = make("tr", { className: "names" }, make("td"), make("td"), ...heads);
  const leads = row("td", [t("lead"), "", ...behind]);
  leads.className = "leads";
  const caption = make("caption", {}, t("Totals; tricks won / bid, points"));
  return make("table", { className: "pad" }, caption, names, leads, ...rounds.toReversed());
}
