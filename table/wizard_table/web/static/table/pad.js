// The score pad: beside the table where there is room, else in a dialog.

import { suitSign } from "../drawings/cards.js";
import { decimal, percent, signed, t } from "../language.js";
import { $, make, nameHeading, row } from "../shared/elements.js";
import { seatLabel } from "./seats.js";

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
  const [, ...totals] = totalsOf(view.scene);
  const rounds = pad.map(([number, { trump, bids, tricks_won, points }], index) => {
    const cells = bids.map((bid, seat) => {
      const met = bid === tricks_won[seat];
      const how = [`${tricks_won[seat]}/${bid}`, signed(points[seat])].map((text) => make("span", {}, text));
      const className = met ? "met" : "missed";
      return make(
        "td",
        { className },
        make("b", {}, decimal(totals[index][seat])),
        make("small", {}, ...how),
      );
    });
    const suit = make("span", { className: `suit-name ${trump ?? ""}` }, trump ? suitSign(trump) : "–");
    return make("tr", {}, make("th", { scope: "row" }, number, " ", suit), ...cells);
  });
  const most = Math.max(...seats.map((seat) => seat.score));
  const second = seats.map((seat) => seat.score).toSorted((a, b) => b - a)[1];
  const distances = seats.map(({ score }) => (score === most ? signed(most - second) : signed(score - most)));
  const names = seats.map(({ number }) => nameHeading(seatLabel(view, number)));
  const leads = row("td", [t("ahead or behind"), ...distances]);
  leads.className = "leads";
  leads.title = t("Points ahead of the second, or behind the first");
  const chances = row("td", [t("chance to win"), ...seats.map((seat) => percent(seat.win_probability))]);
  chances.className = "leads";
  const caption = make("caption", {}, t("Totals; below them tricks won / bid, and points"));
  const columns = make("colgroup", {}, make("col"), ...seats.map(() => make("col", { className: "seat" })));
  const isOver = view.scene.phase === "over";
  const head = make("thead", {}, make("tr", {}, make("td"), ...names), leads, ...(isOver ? [] : [chances]));
  return make(
    "table",
    { className: seats.length > 4 ? "pad dense" : "pad" },
    caption,
    columns,
    head,
    make("tbody", {}, ...rounds.toReversed()),
  );
}

// The sums of points: those of each seat before the first round, and after every round.
export function totalsOf({ pad, seats }) {
  const totals = [seats.map(() => 0)];
  for (const [, { points }] of pad) totals.push(points.map((won, seat) => won + totals.at(-1)[seat]));
  return totals;
}
