// The players around the felt: the reader at the bottom, the others in the order of play, clockwise.

import { backs, chip } from "../drawings/cards.js";
import { icon, sign } from "../drawings/icons.js";
import { decimal, signed, t } from "../language.js";
import { $, levelName, make } from "../shared/elements.js";

// For each number of players, the positions of the seats from the reader's on: per cent of the felt from the left
// and the top; then those of their cards from the top, on a wide and a narrow felt.
const POSITIONS = {
  3: ["50 100 100 100", "0 22 0 20", "100 22 0 20"],
  4: ["50 100 100 100", "0 40 50 50", "50 0 0 0", "100 40 50 50"],
  5: ["50 100 100 100", "0 58 100 62", "0 10 0 10", "100 10 0 10", "100 58 100 62"],
  6: ["50 100 100 100", "0 68 100 70", "0 22 0 30", "50 0 0 0", "100 22 0 30", "100 68 100 70"],
};
const MOST_LETTERS = 12; // in a line of a name

// Positions the plate of a seat, or the card that it plays.
export function placeAt(element, view, seat) {
  const seats = view.names.length;
  const from = (seat - (view.you ?? 0) + seats) % seats;
  const [x, y, down, narrow] = POSITIONS[seats][from].split(" ").map(Number);
  const values = { x, y, down, narrow };
  for (const [name, value] of Object.entries(values)) element.style.setProperty(`--${name}`, value);
  element.toggleAttribute("data-middle", x === 50 && y === 0);
  return element;
}

export function seatLabel(view, seat) {
  if (seat === view.you) return t("You");
  const labels = view.names.map((_, each) => plainLabel(view, each));
  const label = labels[seat];
  return labels.indexOf(label) === labels.lastIndexOf(label) ? label : `${label}\u00a0${seat + 1}`;
}

const isOpen = (view, seat) => view.presence?.[seat] === "open";
const plainLabel = (view, seat) => (isOpen(view, seat) ? t("Open seat") : levelName(view.names[seat]));

export const takenBy = (view, seat) =>
  seat === view.you ? t("You took the trick") : t("{name} took the trick", { name: seatLabel(view, seat) });

// The points of each seat, in words.
export const pointsText = (view, points) =>
  points.map((each, seat) => `${seatLabel(view, seat)} ${signed(each)}`).join(", ");

function nameTag(view, seat) {
  const label = seatLabel(view, seat);
  const name = make("span", { className: "name", title: plainLabel(view, seat) }, label);
  const letters = Math.max(label.length / 2, ...label.split(" ").map(({ length }) => length));
  name.style.setProperty("--letters", Math.min(letters, MOST_LETTERS));
  return name;
}

export function drawPlayers(view) {
  $("players").replaceChildren(
    ...view.scene.seats.map((seat) => placeAt(plateOf(view, seat), view, seat.number)),
  );
}

function plateOf(view, seat) {
  const { scene } = view;
  const name = nameTag(view, seat.number);
  const signs = make("span", { className: "signs" });
  if (seat.deals) signs.append(sign("deals", t("dealer")));
  if (seat.number === scene.leader) signs.append(sign("leads", t("leads")));
  const presence = view.presence?.[seat.number];
  if (presence === "away") signs.append(sign("absent", t("away")));
  if (presence === "left") signs.append(sign("absent", t("left; the computer plays")));
  if (view.waiting) return waitingPlate(name, signs, presence);
  if (presence === "open") signs.append(sign("absent", t("open; the computer plays until someone comes")));
  const bid = seat.bid_is_hidden ? "?" : (seat.bid ?? "–");
  const ariaLabel = t("tricks won: {won}, bid: {bid}", { won: seat.tricks_won, bid });
  const tricks = make("span", { className: "tricks", ariaLabel, role: "img" });
  const of = make("span", { className: "of", textContent: "/" });
  tricks.append(...dotsOf(seat), make("b", {}, seat.tricks_won), of, make("b", {}, bid));
  const score = make("span", { className: "score", title: t("points") }, decimal(seat.score));
  const head = make("span", { className: "head" }, name, score);
  const item = make("li", {}, head, make("span", { className: "numbers" }, tricks, signs));
  if (seat.hand && seat.number !== view.you)
    item.append(make("span", { className: "held" }, ...seat.hand.map(chip)));
  else if (seat.number !== (view.you ?? 0) && seat.cards_held) item.append(backs(seat.cards_held));
  if (seat.number === view.you) item.dataset.own = "";
  if (seat.acts) {
    name.prepend(icon("turn"));
    item.dataset.acts = "";
    item.ariaCurrent = "true";
  }
  return item;
}

// Before the game begins, a plate tells only who is there.
function waitingPlate(name, signs, presence) {
  const words = { agent: t("ready"), here: t("ready"), away: t("away"), open: "" };
  const state = make("span", { className: "numbers", textContent: words[presence] });
  const item = make("li", {}, make("span", { className: "head" }, name, signs), state);
  if (presence === "open") item.dataset.open = "";
  return item;
}

// A dot for each trick of the bid, filled once it is won, and one for each trick too many.
function dotsOf({ bid, tricks_won }) {
  const most = Math.max(bid ?? 0, tricks_won);
  if (bid === null || !most) return [];
  const kind = (number) => (number < Math.min(bid, tricks_won) ? "won" : number < bid ? "due" : "extra");
  const dots = Array.from({ length: most }, (_, number) => make("i", { className: kind(number) }));
  return [make("span", { className: "dots" }, ...dots)];
}
