// The players around the felt: yours at the bottom, the others in the order of play, clockwise.
import { nodes, t } from "../language.js";
import { $, chip, levelName, make, sign } from "../shared/elements.js";

// For each number of players, where seats stand from yours on: per cent of the felt from the left and the top;
// then how far down their cards lie, on a wide and on a narrow felt.
const PLACES = {
  3: ["50 100 100 100", "0 22 30 20", "100 22 30 20"],
  4: ["50 100 100 100", "0 40 50 40", "50 0 0 0", "100 40 50 40"],
  5: ["50 100 100 100", "0 58 100 62", "0 10 0 10", "100 10 0 10", "100 58 100 62"],
  6: ["50 100 100 100", "0 68 100 67", "0 22 0 33", "50 0 0 0", "100 22 0 33", "100 68 100 67"],
};
const LONG = 12; // characters; of a longer name the end stays, which tells "worlds=32" from "worlds=64"
const END = 5;

// Sets where a seat's plate stands, and the card that it plays.
export function place(element, view, seat) {
  const seats = view.names.length;
  const from = (seat - (view.you ?? 0) + seats) % seats;
  const [x, y, down, narrow] = PLACES[seats][from].split(" ").map(Number);
  const left = Math.floor((seats - 1) / 2); // seats before yours when all stand in one row
  const across = from === 0 ? seats - 1 - left : from <= seats - 1 - left ? from - 1 : from;
  element.style.setProperty("--x", x);
  element.style.setProperty("--y", y);
  element.style.setProperty("--down", down);
  element.style.setProperty("--narrow", narrow);
  element.style.setProperty("--across", Math.round((100 * across) / (seats - 1)));
  element.dataset.from = from;
  return element;
}

export function seatLabel(view, seat) {
  if (seat === view.you) return t("You");
  const name = view.names[seat];
  const alone = view.names.indexOf(name) === view.names.lastIndexOf(name);
  return alone ? levelName(name) : `${levelName(name)} ${seat + 1}`;
}

// Where there is no room, the beginning gives way; what tells names apart stays.
export function nameTag(view, seat) {
  const label = seatLabel(view, seat);
  const number = label.search(/ \d+$/);
  const cut = number > 0 ? number : label.length > LONG ? label.length - END : label.length;
  const start = make("span", { className: "start", textContent: label.slice(0, cut) });
  const end = make("span", { textContent: label.slice(cut) });
  return make("span", { className: "name", title: levelName(view.names[seat]) }, start, end);
}

export function drawPlayers(view) {
  $("players").replaceChildren(
    ...view.scene.seats.map((seat) => place(plate(view, seat), view, seat.number)),
  );
}

function plate(view, seat) {
  const { scene } = view;
  const name = nameTag(view, seat.number);
  const signs = make("span", { className: "signs" });
  if (seat.deals) signs.append(sign("deals", "D", t("dealer")));
  if (seat.number === leader(scene)) signs.append(sign("leads", "1", t("leads")));
  const presence = view.presence?.[seat.number];
  if (presence === "away" || presence === "left") {
    const told = presence === "away" ? t("away") : t("left; an agent plays");
    signs.append(sign("absent", "⏸", told));
  }
  const bid = seat.bid_is_hidden ? "?" : (seat.bid ?? "–");
  const tricks = make(
    "span",
    { className: `tricks ${mark(seat)}` },
    make("b", { textContent: seat.tricks_won }),
    make("span", { className: "of", textContent: "/" }),
    make("b", { textContent: bid }),
  );
  tricks.setAttribute("aria-label", t("{won} tricks of {bid} bid", { won: seat.tricks_won, bid }));
  tricks.setAttribute("role", "img");
  const points = make("b", { textContent: seat.score });
  const score = make("span", { className: "score" }, ...nodes("{points} points", { points }));
  const head = make("span", { className: "head" }, name, signs);
  const item = make("li", {}, head, make("span", { className: "numbers" }, tricks, score));
  if (seat.hand && seat.number !== view.you) {
    item.append(make("span", { className: "held" }, ...seat.hand.map(chip)));
  }
  if (seat.number === view.you) item.dataset.you = "";
  if (seat.acts) {
    item.dataset.acts = "";
    item.setAttribute("aria-current", "true");
  }
  return item;
}

// Who leads the trick, or will lead the first.
function leader({ phase, trick, seats, dealer }) {
  if (phase === "over") return null;
  if (trick.length) return trick[0][0];
  return phase === "play" ? seats.find((seat) => seat.acts).number : (dealer + 1) % seats.length;
}

// A bid can still be met, is met so far, or was exceeded.
function mark({ bid, tricks_won }) {
  if (bid === null) return "";
  return tricks_won > bid ? "over" : tricks_won === bid ? "met" : "";
}
