// The end of a round: its last trick goes to the winner; then bids, tricks and points lie on the felt until a
// click, or for some seconds, which begin anew when the pointer leaves them.
import { playsOf } from "../drawings/cards.js";
import { decimal, signed, t } from "../language.js";
import { $, make, makeTable, row } from "../shared/elements.js";
import { onEachVisit } from "../shared/visit.js";
import { totalsOf } from "./pad.js";
import { seatLabel } from "./seats.js";

const TRICK_SHOWN = 1500; // milliseconds
const RESULT_SHOWN = 9000;

let timer; // until the next step
let waiting; // the latest view, which is shown after the result; null while no result is
let proceed; // shows that view
onEachVisit(() => {
  clearTimeout(timer);
  timer = waiting = proceed = null;
});

// Whether a view ends a round that was on the felt until now.
export const endsRound = (before, view) => before !== null && view.scene.pad.length > before.scene.pad.length;

// The table as the last trick left it: nobody can act, and no card of the next round is seen.
export function closingView(before, view) {
  const { last_trick: last, scene } = view;
  const seats = before.names.length;
  const [, scored] = scene.pad.at(-1);
  const trick = playsOf(last, seats);
  const players = before.scene.seats.map((seat) => ({
    ...seat,
    score: scene.seats[seat.number].score,
    win_probability: scene.seats[seat.number].win_probability,
    acts: false,
    hand: seat.hand && [],
    cards_held: 0,
    bid: scored.bids[seat.number],
    bid_is_hidden: false,
    tricks_won: scored.tricks_won[seat.number],
  }));
  const winning = (last.winner - last.leader + seats) % seats;
  return {
    ...view,
    scene: { ...before.scene, trick, winning, seats: players, phase: "scored", pad: scene.pad },
    legal: [],
    can_take_back: false,
  };
}

// Shows the end of the round that a view tells of; `after` gets that view, or a later one, when the result has
// been seen.
export function showRoundEnd(view, after) {
  waiting = view;
  proceed = after;
  timer = setTimeout(showResult, TRICK_SHOWN);
}

// Keeps a view until the result has been seen. Returns whether it is kept.
export function keepForLater(view) {
  if (waiting === null) return false;
  if (view.scene.pad.length < waiting.scene.pad.length) {
    hideResult(); // the round was taken back
    return false;
  }
  waiting = view;
  return true;
}

// People come and go meanwhile.
export function keepPresence(presence) {
  if (waiting !== null) waiting = { ...waiting, ...presence };
}

function hideResult() {
  clearTimeout(timer);
  $("scored").hidden = true;
  $("scored").replaceChildren();
  waiting = null;
}

function goOn() {
  const view = waiting;
  hideResult();
  proceed(view);
}

function showResult() {
  const { scene, you } = waiting;
  const [number, { bids, tricks_won, points }] = scene.pad.at(-1);
  const totals = totalsOf(scene).at(-1);
  const rows = bids.map((bid, seat) => {
    const met = bid === tricks_won[seat];
    const total = decimal(totals[seat]);
    const line = row("td", [seatLabel(waiting, seat), bid, tricks_won[seat], signed(points[seat]), total]);
    line.className = met ? "met" : "missed";
    line.cells[0].title = line.cells[0].textContent;
    if (seat === you) line.dataset.own = "";
    return line;
  });
  const headings = ["", t("bid"), t("won"), t("points"), t("total")];
  const button = make("button", { className: "main", onclick: goOn }, t("Continue"));
  $("scored").replaceChildren(
    make("h2", {}, t("Round {number}", { number })),
    makeTable("result", headings, rows),
    button,
  );
  $("scored").hidden = false;
  button.focus({ preventScroll: true });
  $("scored").onpointerenter = () => clearTimeout(timer);
  $("scored").onpointerleave = goOnLater;
  goOnLater();
}

function goOnLater() {
  clearTimeout(timer);
  if (waiting !== null) timer = setTimeout(goOn, RESULT_SHOWN);
}
