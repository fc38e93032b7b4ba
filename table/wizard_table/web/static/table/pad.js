// The score pad: beside the table where there is room, else in a dialog.

import { suitSign } from "../drawings/cards.js";
import { decimal, percent, signed, t } from "../language.js";
import { $, make, nameHeading, row } from "../shared/elements.js";
import { seatLabel } from "./seats.js";

const DENSE = 4; // players; more have narrower columns

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
    const cells = bids.map((bid, seat) =>
      padCell({ bid, won: tricks_won[seat], points: points[seat], total: totals[index][seat] }),
    );
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
  return padTable(names, rounds, leads, ...(view.scene.phase === "over" ? [] : [chances]));
}

// A score pad: the heads of the players' columns, the rounds from the first on, and more rows below the heads.
export const padTable = (heads, rounds, ...more) =>
  make(
    "table",
    { className: heads.length > DENSE ? "pad dense" : "pad" },
    make("caption", {}, t("Totals; below them tricks won / bid, and points")),
    make("colgroup", {}, make("col")),
    make("thead", {}, make("tr", {}, make("td"), ...heads), ...more),
    make("tbody", {}, ...rounds.toReversed()),
  );

// A player's round, as far as it is known: points and total once it is over.
export function padCell({ bid, won = "–", points, total }) {
  if (bid === undefined) return make("td");
  const isOver = points !== undefined;
  const how = [`${won}/${bid}`, ...(isOver ? [signed(points)] : [])].map((text) => make("span", {}, text));
  const className = isOver ? (won === bid ? "met" : "missed") : "";
  const sum = isOver ? [make("b", {}, decimal(total))] : [];
  return make("td", { className }, ...sum, make("small", {}, ...how));
}

// The sums of points: those of each seat before the first round, and after every round.
export function totalsOf({ pad, seats }) {
  const totals = [seats.map(() => 0)];
  for (const [, { points }] of pad) totals.push(points.map((won, seat) => won + totals.at(-1)[seat]));
  return totals;
}
