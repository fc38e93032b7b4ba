// Draws a table from a view that the server sent, whether the game is being played or reviewed.
import {
  $,
  actionName,
  card,
  chip,
  describe,
  make,
  row,
  SUITS,
  SYMBOLS,
  signed,
} from "../shared/elements.js";

const ANNOUNCED = 6; // at most this many of the latest events are read out to a screen reader
const PROMPTS = { trump: "Name the trump.", bid: "How many tricks do you bid?", play: "Play a card." };
let drawn = null; // how many decisions had been made in the view that was drawn last

// `choose` is called with the action that is picked; without it nothing can be picked, as in a review.
export function drawTable(view, choose = null) {
  const { scene } = view;
  $("table").hidden = false;
  drawHeader(scene);
  $("players").replaceChildren(...scene.seats.map((seat) => player(view, seat)));
  drawTrick(view);
  $("status").textContent = status(view);
  drawChoices(view, choose);
  drawEvents(view);
  $("advice").dataset.stale = "";
  $("last").disabled = !view.last_trick;
  $("last").onclick = () => showLastTrick(view);
  $("pad").disabled = !scene.pad.length;
  $("pad").onclick = () => showScorePad(view);
}

export function seatName(view, seat) {
  if (seat === view.you) return "You";
  const name = view.names[seat];
  return view.names.indexOf(name) === view.names.lastIndexOf(name) ? name : `${name} ${seat + 1}`;
}

const pointsOf = (view, points) =>
  points.map((each, seat) => `${seatName(view, seat)} ${signed(each)}`).join(", ");

function drawHeader(scene) {
  const cards = `${scene.hand_size} card${scene.hand_size > 1 ? "s" : ""}`;
  $("round").textContent = `Round ${scene.round_number} of ${scene.num_rounds}, ${cards}`;
  const suit = (letter) =>
    make("b", { className: letter, textContent: `${SYMBOLS[letter]} ${SUITS[letter]}` });
  const noTrump = scene.phase === "trump" ? "not named yet" : "none";
  $("suits").replaceChildren("Trump ", scene.trump ? suit(scene.trump) : noTrump);
  if (scene.led_suit) $("suits").append(" · led ", suit(scene.led_suit));
  const { bid_restriction, bid_reveal, magic_edition } = scene.rules;
  $("options").textContent =
    `Bids ${bid_restriction} and ${bid_reveal}${magic_edition ? ", Magic Edition" : ""}`;
  $("options").hidden = bid_restriction === "free" && bid_reveal === "open" && !magic_edition;
}

function player(view, seat) {
  const name = make("span", { className: "name" });
  if (seat.deals) {
    const badge = make("span", { className: "deals", textContent: "D", title: "dealer" });
    badge.setAttribute("aria-label", "dealer");
    badge.setAttribute("role", "img");
    name.append(badge);
  }
  name.append(seatName(view, seat.number));
  const wide = (text) => make("span", { className: "wide", textContent: text });
  const bold = (text) => make("b", { textContent: text });
  const bid = seat.bid_is_hidden ? "?" : (seat.bid ?? "–");
  const tricks = make("span", {}, wide("took "), bold(seat.tricks_won), " of ", bold(bid));
  const score = make("span", {}, bold(seat.score), wide(" pts"));
  const item = make("li", {}, name, make("span", { className: "numbers" }, tricks, score));
  if (seat.hand && seat.number !== view.you) {
    item.append(make("span", { className: "held" }, ...seat.hand.map(chip)));
  }
  if (seat.acts) {
    item.dataset.acts = "";
    item.setAttribute("aria-current", "true");
  }
  return item;
}

// --- the trick

// The seat and the card of each play, in order.
function playsOf(trick, seats) {
  return trick.cards.map((name, place) => [(trick.leader + place) % seats, name]);
}

// Until a card is led, the last trick stays: during the bidding beside the upcard, with the points of its round.
function drawTrick(view) {
  const { scene, last_trick: last } = view;
  const begun = scene.trick.length > 0;
  const bidding = scene.phase === "bid" || scene.phase === "trump";
  const firstTrick = !scene.seats.some((seat) => seat.tricks_won);
  const label = (text) => make("span", { className: "who", textContent: text });
  const showsLast = !begun && last && (bidding || !firstTrick);
  const plays = showsLast ? playsOf(last, view.names.length) : scene.trick;
  const items = plays.map(([seat, name], place) => {
    const item = make("li", {}, card(name), label(seatName(view, seat)));
    if (begun ? place === scene.winning : seat === last.winner) {
      item.dataset.wins = "";
      item.append(make("span", { className: "unseen", textContent: "wins" }));
    }
    if (bidding) item.dataset.past = "";
    return item;
  });
  if (scene.upcard && !begun && (bidding || firstTrick)) {
    items.unshift(make("li", { className: "upcard" }, card(scene.upcard), label("turned up")));
  }
  $("trick").replaceChildren(...items);
  $("outcome").textContent = plays.length && !begun ? outcome(view, bidding) : "";
}

function outcome(view, bidding) {
  const taken = `${seatName(view, view.last_trick.winner)} took the last trick.`;
  const scored = bidding ? view.scene.pad.at(-1) : undefined;
  return scored ? `${taken} Round ${scored[0]}: ${pointsOf(view, scored[1].points)}.` : taken;
}

// --- the decision

function status(view) {
  const { scene } = view;
  if (scene.phase === "over") {
    const most = Math.max(...scene.seats.map((seat) => seat.score));
    const winners = scene.winners.map((seat) => seatName(view, seat)).join(" and ");
    return `The game is over. Won by ${winners} with ${most} points.`;
  }
  const acting = seatName(view, scene.seats.find((seat) => seat.acts).number);
  if (view.chosen) return `${acting} ${describe(view.chosen)}.`;
  return view.legal.length ? PROMPTS[scene.phase] : `${acting} to act`;
}

function drawChoices(view, choose) {
  const { scene } = view;
  const tag = choose ? "button" : "span";
  const pick = (element, action) => {
    const legal = view.legal.includes(action);
    if (choose) {
      element.disabled = !legal;
      element.onclick = () => choose(action);
    } else {
      element.dataset.legal = legal;
      if (action === view.chosen) element.dataset.chosen = "";
    }
    return element;
  };
  const choices = view.legal.filter((action) => !action.startsWith("play"));
  $("choices").replaceChildren(
    ...choices.map((action) => {
      const what = action.split(" ")[1];
      const text = SYMBOLS[what] ? `${SYMBOLS[what]} ${SUITS[what]}` : what;
      const choice = make(tag, { className: "choice", textContent: text });
      if (choose) choice.setAttribute("aria-label", actionName(action));
      return pick(choice, action);
    }),
  );
  const acting = scene.seats.find((seat) => seat.acts);
  const holder = view.you ?? (choose ? null : (acting?.number ?? null));
  const hand = holder === null ? [] : scene.seats[holder].hand;
  $("hand").replaceChildren(...hand.map((name) => pick(card(name, tag), `play ${name}`)));
  $("hand").toggleAttribute("data-turn", choices.length < view.legal.length);
  if (choose) focusFirstChoice();
}

// For the keyboard, unless something else has the focus.
function focusFirstChoice() {
  const first = document.querySelector("#choices button, #hand button:not(:disabled)");
  const focused = document.activeElement;
  if (first && (!focused || focused === document.body)) first.focus({ preventScroll: true });
}

// --- events

function drawEvents(view) {
  const sentence = (event) => eventText(view, event);
  const before = drawn ?? view.decisions;
  drawn = view.decisions;
  $("events").replaceChildren(
    ...view.events.toReversed().map((event) => make("li", { textContent: sentence(event) })),
  );
  const latest = view.events.slice(view.events.length - Math.min(view.decisions - before, ANNOUNCED));
  if (view.decisions > before) $("news").textContent = latest.map(sentence).join(". ");
  if (view.decisions < before) $("news").textContent = "Taken back.";
}

function eventText(view, event) {
  let text = `${seatName(view, event.seat)}: ${actionName(event.action)}`;
  if (event.winner !== null) text += `; ${seatName(view, event.winner)} took the trick`;
  if (event.points) text += `; round ${event.round_number}: ${pointsOf(view, event.points)}`;
  return text;
}

// --- advice

// An answer may take seconds.
export function drawThinking(agent) {
  $("advice").querySelector("caption").textContent = `${agent} is thinking …`;
  $("advice").tHead.replaceChildren();
  $("advice").tBodies[0].replaceChildren();
  $("advice").dataset.stale = "";
  $("advice").hidden = false;
}

// What an agent thinks of the decision: how likely it is to take each action, and the points that it expects.
export function drawAdvice(agent, advice, chosen = null, most = Infinity) {
  const worth = advice.value === null ? "" : `, expecting ${signed(advice.value, 1)} points this round`;
  const hasPoints = advice.choices.some((choice) => choice.points !== null);
  $("advice").querySelector("caption").textContent = `${agent} would choose${worth}`;
  $("advice").tHead.replaceChildren(row("th", ["", "", "share", hasPoints ? "points" : ""]));
  $("advice").tBodies[0].replaceChildren(
    ...advice.choices.slice(0, most).map(({ action, share, points }) => {
      const bar = make("span", { className: "bar" });
      bar.style.width = `${4 * share}rem`;
      const line = row("td", [
        actionName(action),
        "",
        `${Math.round(100 * share)}%`,
        points === null ? "" : signed(points, 1),
      ]);
      line.cells[1].append(bar);
      if (action === chosen) line.dataset.chosen = "";
      return line;
    }),
  );
  delete $("advice").dataset.stale;
  $("advice").hidden = false;
}

// --- dialogs

function showDialog(...content) {
  $("dialog").firstElementChild.replaceChildren(...content);
  $("dialog").showModal();
}

function showScorePad(view) {
  const { pad, seats } = view.scene;
  const rounds = pad.map(([number, { trump, bids, tricks_won, points }]) => {
    const cells = bids.map((bid, seat) => `${tricks_won[seat]}/${bid} ${signed(points[seat])}`);
    return row("td", [`${number}`, trump ? SYMBOLS[trump] : "–", ...cells]);
  });
  const names = row("th", ["", "", ...seats.map((seat) => seatName(view, seat.number))]);
  const scores = row("th", ["", "", ...seats.map((seat) => `${seat.score}`)]);
  const caption = make("caption", { textContent: "Tricks won / bid, points" });
  showDialog(make("table", {}, caption, names, ...rounds, scores));
}

function showLastTrick(view) {
  const { last_trick: last, names } = view;
  const lines = playsOf(last, names.length).map(([seat, name]) => {
    const winner = seat === last.winner ? ", took the trick" : "";
    return make("p", {}, card(name), ` ${seatName(view, seat)}${winner}`);
  });
  showDialog(...lines);
}
