// The table: shows the view that the server sends to this seat, and says what is chosen.
import { $, SUITS, SYMBOLS, actionName, ask, card, chip, complain, deed, make, row, signed } from "./elements.js";
import { join } from "./lobby.js";
import { look } from "./review.js";

const SHOWN = 8; // so many of an adviser's choices, the likeliest
const LATEST = 6; // so many of the last events are said aloud at most
const PAUSE = 200; // milliseconds that the slider must rest before its value is sent
let view = null;
let socket = null;
let retry = 500;
let pacing = null; // the timer of a wait that is not sent yet

export function seatName(seat) {
  if (seat === view.you) return "You";
  const name = view.names[seat];
  return view.names.indexOf(name) === view.names.lastIndexOf(name) ? name : `${name} ${seat + 1}`;
}

// --- the connection

export async function sit(name) {
  if (!/^[\w-]+$/.test(name)) { complain("there is no such table"); return leaveBy(); }
  const token = localStorage.getItem(`wizard ${name}`);
  if (token === null) {
    const seats = await ask(`tables/${name}/seats`);
    if (seats === null) return leaveBy();
    if (seats.open.length) return join(name);
  }
  connect(name, token);
  $("hint").onclick = () => {
    say({ kind: "hint", agent: $("adviser").value });
    $("hint").disabled = true;
    think($("adviser").value);
  };
  $("back").onclick = () => say({ kind: "take_back" });
  $("pace").oninput = () => {
    const seconds = Number($("pace").value);
    clearTimeout(pacing);
    pacing = setTimeout(() => { pacing = null; say({ kind: "pace", seconds }); }, PAUSE);
    showPace();
  };
}

function showPace() {
  $("seconds").textContent = `${Number($("pace").value).toFixed(1)} s`;
  $("pace").setAttribute("aria-valuetext", $("seconds").textContent);
}

// After an error, when there is nothing to be shown.
export const leaveBy = () => $("error").append(" ", make("a", { href: "./", textContent: "Back to the lobby" }));

function connect(name, token) {
  const address = new URL(`tables/${name}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  socket = new WebSocket(address);
  socket.onopen = () => { say({ kind: "sit", token }); };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "view") { retry = 500; show(message); }
    else if (message.kind === "hint" && message.decisions === view.decisions) {
      showAdvice(message.agent, message, SHOWN);
      $("hint").disabled = false;
      $("news").textContent = `${message.agent} would choose ${actionName(message.choices[0].action)}`;
    } else if (message.kind === "hint") $("hint").disabled = !view.legal.length;
    else {
      complain(message.why);
      if (view === null) return leaveBy();
      $("advice").hidden ||= "stale" in $("advice").dataset;
      $("hint").disabled = !view.legal.length;
    }
  };
  socket.onclose = () => {
    if (view === null) return;
    $("status").textContent = "The connection is lost; trying again.";
    for (const choice of document.querySelectorAll("#choices button, #hand button, nav button")) choice.disabled = true;
    setTimeout(() => connect(name, token), retry);
    retry = Math.min(retry * 2, 10000);
  };
}

const say = (message) => socket.send(JSON.stringify(message));
const choose = (action) => { complain(""); say({ kind: "act", action, decisions: view.decisions }); };

// --- what is shown

export function show(picture) {
  const before = view?.decisions ?? picture.decisions;
  view = picture;
  const scene = view.scene;
  $("table").hidden = false;
  $("round").textContent = `Round ${scene.round_number} of ${scene.num_rounds}, ${scene.hand_size} card${scene.hand_size > 1 ? "s" : ""}`;
  const suit = (letter) => make("b", { className: letter, textContent: `${SYMBOLS[letter]} ${SUITS[letter]}` });
  $("suits").replaceChildren("Trump ", scene.trump ? suit(scene.trump) : scene.phase === "trump" ? "not named yet" : "none");
  if (scene.led_suit) $("suits").append(" · led ", suit(scene.led_suit));
  const { bid_restriction, bid_reveal, magic_edition } = scene.rules;
  $("options").textContent = `Bids ${bid_restriction} and ${bid_reveal}${magic_edition ? ", Magic Edition" : ""}`;
  $("options").hidden = bid_restriction === "free" && bid_reveal === "open" && !magic_edition;
  $("players").replaceChildren(...scene.seats.map(player));
  showTrick(scene);
  showChoices(scene);
  $("events").replaceChildren(...view.events.toReversed().map((event) => make("li", { textContent: told(event) })));
  const latest = view.events.slice(view.events.length - Math.min(view.decisions - before, LATEST));
  if (view.decisions > before) $("news").textContent = latest.map(told).join(". ");
  if (view.decisions < before) $("news").textContent = "Taken back.";
  $("advice").hidden ||= view.chosen === undefined;
  $("advice").dataset.stale = "";
  const playing = view.you !== null;
  for (const name of ["hint", "asks", "back"]) $(name).hidden = !playing;
  $("hint").disabled = !view.legal.length;
  $("back").disabled = !view.can_take_back;
  $("last").disabled = !view.last_trick;
  $("pad").disabled = !scene.pad.length;
  if (pacing === null) $("pace").value = view.seconds;
  showPace();
  $("invite").hidden = !view.open?.length;
  $("invite").replaceChildren("A seat is open; send this link: ", make("a", { href: location.href, textContent: location.href }));
}

function player(seat) {
  const name = make("span", { className: "name" });
  if (seat.deals) {
    const badge = make("span", { className: "deals", textContent: "D", title: "deals" });
    badge.setAttribute("aria-label", "deals");
    badge.setAttribute("role", "img");
    name.append(badge);
  }
  name.append(seatName(seat.number));
  const bid = seat.bid_is_hidden ? "?" : seat.bid ?? "–";
  const item = make("li", {},
    name,
    make("span", { className: "numbers" },
      make("span", {}, make("span", { className: "wide", textContent: "took " }), make("b", { textContent: seat.tricks_won }), " of ", make("b", { textContent: bid })),
      make("span", {}, make("b", { textContent: seat.score }), make("span", { className: "wide", textContent: " pts" }))));
  if (seat.hand && seat.number !== view.you) item.append(make("span", { className: "held" }, ...seat.hand.map(chip)));
  if (seat.acts) { item.dataset.acts = ""; item.setAttribute("aria-current", "true"); }
  return item;
}

// The seat and the card, in the order of play.
const playsOf = ({ leader, cards }) => cards.map((name, place) => [(leader + place) % view.names.length, name]);

function showTrick(scene) {
  const last = view.last_trick;
  const lies = scene.trick.length > 0;
  const bidding = scene.phase === "bid" || scene.phase === "trump";
  const begun = scene.seats.some((seat) => seat.tricks_won);
  const played = lies || !last || !(bidding || begun) ? scene.trick : playsOf(last);
  const items = played.map(([seat, name], place) => {
    const item = make("li", {}, card(name), make("span", { className: "who", textContent: seatName(seat) }));
    if (lies ? place === scene.winning : seat === last.winner) {
      item.dataset.wins = "";
      item.append(make("span", { className: "unseen", textContent: "wins" }));
    }
    if (bidding) item.dataset.past = "";
    return item;
  });
  if (scene.upcard && !lies && !(begun && !bidding)) {
    items.unshift(make("li", { className: "upcard" }, card(scene.upcard), make("span", { className: "who", textContent: "turned up" })));
  }
  $("trick").replaceChildren(...items);
  const scored = bidding ? scene.pad.at(-1) : undefined;
  const points = scored ? ` Round ${scored[0]}: ${scored[1].points.map((points, seat) => `${seatName(seat)} ${signed(points)}`).join(", ")}.` : "";
  $("outcome").textContent = played.length && !lies ? `${seatName(last.winner)} took the last trick.${points}` : "";
}

function showChoices(scene) {
  const prompts = { trump: "Name the trump.", bid: "How many tricks do you bid?", play: "Play a card." };
  const acting = scene.seats.find((seat) => seat.acts);
  $("status").textContent = scene.phase === "over" ? ending(scene)
    : view.chosen ? `${seatName(acting.number)} ${deed(view.chosen)}.`
    : view.legal.length ? prompts[scene.phase] : `${seatName(acting.number)} to act`;
  if (scene.phase === "over" && view.table) {
    const record = `tables/${view.table}/record`;
    const names = view.names;
    $("status").append(" ", make("a", { href: record, textContent: "Record" }), " · ",
      make("button", { textContent: "Look through it", onclick: async () => look(await (await fetch(record)).text(), names) }), " · ",
      make("a", { href: "./", textContent: "Another game" }));
  }
  const tag = view.chosen === undefined ? "button" : "span";
  const pick = (element, action) => {
    if (tag === "button") { element.disabled = !view.legal.includes(action); element.onclick = () => choose(action); }
    else { element.dataset.legal = view.legal.includes(action); if (action === view.chosen) element.dataset.chosen = ""; }
    return element;
  };
  const said = view.legal.filter((action) => !action.startsWith("play"));
  $("choices").replaceChildren(...said.map((action) => {
    const what = action.split(" ")[1];
    const choice = make(tag, { className: "choice", textContent: SYMBOLS[what] ? `${SYMBOLS[what]} ${SUITS[what]}` : what });
    if (tag === "button") choice.setAttribute("aria-label", actionName(action));
    return pick(choice, action);
  }));
  const holder = view.you ?? (tag === "span" && acting ? acting.number : null);
  const hand = holder === null ? [] : scene.seats[holder].hand;
  $("hand").replaceChildren(...hand.map((name) => pick(card(name, tag), `play ${name}`)));
  $("hand").toggleAttribute("data-turn", view.legal.some((action) => action.startsWith("play")));
  if (tag === "span") return;
  const first = document.querySelector("#choices button, #hand button:not(:disabled)");
  if (first && (document.activeElement === document.body || !document.activeElement)) first.focus({ preventScroll: true });
}

function ending(scene) {
  const most = Math.max(...scene.seats.map((seat) => seat.score));
  return `The game is over. Won by ${scene.winners.map(seatName).join(" and ")} with ${most} points.`;
}

function told(event) {
  let text = `${seatName(event.seat)}: ${deed(event.action)}`;
  if (event.winner !== null) text += `; ${seatName(event.winner)} took the trick`;
  if (event.points) text += `; round ${event.round_number}: ${event.points.map((points, seat) => `${seatName(seat)} ${signed(points)}`).join(", ")}`;
  return text;
}

// An answer may take seconds.
export function think(agent) {
  $("advice").querySelector("caption").textContent = `${agent} thinks …`;
  $("advice").tHead.replaceChildren();
  $("advice").tBodies[0].replaceChildren();
  $("advice").dataset.stale = "";
  $("advice").hidden = false;
}

// What an agent thinks of the decision: how likely it takes each action, and the points that it expects.
export function showAdvice(agent, advice, most = Infinity) {
  const worth = advice.value === null ? "" : `, and expects ${signed(advice.value, 1)} points of the round`;
  $("advice").querySelector("caption").textContent = `${agent} would choose${worth}`;
  $("advice").tHead.replaceChildren(row("th", ["", "", "share", advice.choices.some((one) => one.points !== null) ? "points" : ""]));
  $("advice").tBodies[0].replaceChildren(...advice.choices.slice(0, most).map((one) => {
    const meter = make("td", {}, make("span", { className: "bar" }));
    meter.firstChild.style.width = `${4 * one.share}rem`;
    const line = make("tr", {}, make("td", { textContent: actionName(one.action) }), meter,
      make("td", { textContent: `${Math.round(100 * one.share)}%` }),
      make("td", { textContent: one.points === null ? "" : signed(one.points, 1) }));
    if (one.action === view.chosen) line.dataset.chosen = "";
    return line;
  }));
  delete $("advice").dataset.stale;
  $("advice").hidden = false;
}

// --- papers over the table

function paper(...content) {
  $("paper").firstElementChild.replaceChildren(...content);
  $("paper").showModal();
}

$("pad").onclick = () => {
  const body = view.scene.pad.map(([number, round]) => row("td", [
    `${number}`, round.trump ? SYMBOLS[round.trump] : "–",
    ...round.bids.map((bid, seat) => `${round.tricks_won[seat]}/${bid} ${signed(round.points[seat])}`)]));
  paper(make("table", {}, make("caption", { textContent: "Tricks won / bid, points" }),
    row("th", ["", "", ...view.scene.seats.map((seat) => seatName(seat.number))]), ...body,
    row("th", ["", "", ...view.scene.seats.map((seat) => `${seat.score}`)])));
};

$("last").onclick = () => {
  const { winner } = view.last_trick;
  paper(...playsOf(view.last_trick).map(([seat, name]) =>
    make("p", {}, card(name), ` ${seatName(seat)}${seat === winner ? ", took the trick" : ""}`)));
};
