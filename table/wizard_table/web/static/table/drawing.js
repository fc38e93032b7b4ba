// Draws a table from a view that the server sent, whether the game is being played or reviewed.

import { describe, SUITS } from "../drawings/cards.js";
import { icon } from "../drawings/icons.js";
import { t, tn } from "../language.js";
import { $, make } from "../shared/elements.js";
import { drawChoices } from "./decision.js";
import { announce } from "./news.js";
import { drawPad, showDialog } from "./pad.js";
import { drawPlayers, seatLabel } from "./seats.js";
import { describeLastTrick, drawTrick, drawTrump } from "./trick.js";

// `choose` is called with the action that is picked; without it nothing can be picked, as in a review.
export function drawTable(view, choose = null) {
  const { scene } = view;
  $("table").hidden = false;
  $("table").toggleAttribute("data-review", choose === null);
  $("table").toggleAttribute("data-magic", scene.rules.magic_edition);
  $("table").toggleAttribute("data-over", scene.phase === "over" && choose !== null);
  $("table").dataset.players = view.names.length;
  document.body.dataset.page = "table";
  drawHeader(view);
  drawTrump(view);
  drawPlayers(view);
  drawTrick(view);
  const yours = view.legal.length > 0 && choose !== null;
  $("status").replaceChildren(...(yours ? [icon("turn")] : []), status(view));
  $("tally").textContent = tally(scene);
  drawChoices(view, choose);
  announce(view);
  drawPad(view);
  $("advice").dataset.stale = "";
  $("last").disabled = !view.last_trick;
  $("last").onclick = () => showDialog(...describeLastTrick(view));
  document.title = yours ? t("● Your turn – Wizard") : "Wizard";
}

function drawHeader({ scene, clock }) {
  const cards = tn("{count} card", "{count} cards", scene.hand_size);
  const round = t("Round {number} of {total}", { number: scene.round_number, total: scene.num_rounds });
  $("round").replaceChildren(make("b", {}, round), make("span", {}, cards));
  $("options").textContent = optionsText(scene.rules, clock);
  $("options").hidden = !$("options").textContent;
}

// The options that differ from the common game, and the time for a decision.
export function optionsText({ bid_restriction, bid_reveal, magic_edition }, clock = null) {
  const texts = {
    no_even: t("bids must not add up to the tricks"),
    leader: t("leader's rule"),
    canadian: t("Canadian rule"),
    simultaneous: t("simultaneous bids"),
    secret: t("secret bids"),
  };
  const time = clock && t("{count} s for a decision", { count: clock });
  const magic = magic_edition && t("Magic Edition");
  const options = [texts[bid_restriction], texts[bid_reveal], magic, time];
  return options.filter(Boolean).join(", ");
}

function status(view) {
  const { scene } = view;
  if (view.waiting) return tn("{count} seat is open.", "{count} seats are open.", view.open.length);
  if (scene.phase === "over") return t("The game is over.");
  if (scene.phase === "scored") {
    const winner = view.last_trick.winner;
    if (winner === view.you) return t("You take the trick.");
    return t("{name} takes the trick.", { name: seatLabel(view, winner) });
  }
  const seat = scene.seats.find(({ acts }) => acts).number;
  if (view.chosen) return describe(seatLabel(view, seat), view.chosen);
  if (view.legal.length) return prompt(scene);
  return t("{name}'s turn", { name: seatLabel(view, seat) });
}

function prompt({ phase, led_suit }) {
  if (phase === "trump") return t("Name the trump.");
  if (phase === "bid") return t("How many tricks do you bid?");
  return led_suit ? t("Play a card: {suit} led.", { suit: SUITS[led_suit] }) : t("Play a card.");
}

// The bids so far against the tricks of the round.
function tally({ seats, hand_size, phase }) {
  if (phase === "over" || phase === "scored") return "";
  if (seats.some((seat) => seat.bid_is_hidden)) return t("Bids are hidden.");
  const bids = seats.filter((seat) => seat.bid !== null);
  const sum = bids.reduce((total, seat) => total + seat.bid, 0);
  const counts = { sum, tricks: hand_size };
  if (!bids.length) return "";
  return bids.length < seats.length
    ? t("Bids so far add up to {sum}, tricks to win: {tricks}", counts)
    : t("Bids add up to {sum}, tricks to win: {tricks}", counts);
}
