// The table in a browser: shows the view that the server sends to this seat, and says what is chosen.
const SYMBOLS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const SUITS = { S: "spades", H: "hearts", D: "diamonds", C: "clubs" };
const RANKS = { T: "10", J: "Jack", Q: "Queen", K: "King", A: "Ace" };
const PERSON = "person";
const $ = (name) => document.getElementById(name);
let view = null;
let socket = null;
let retry = 500;

const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};
const cardName = (card) =>
  card === "WI" ? "Wizard" : card === "JE" ? "Jester" : `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]}`;
const seatName = (seat) => (seat === view.you ? "You" : `${view.names[seat]} ${seat + 1}`);

function card(name, tag = "span") {
  const word = name === "WI" || name === "JE";
  const face = make(tag, { className: `card ${word ? `word ${name}` : name[1]}` });
  face.setAttribute("aria-label", cardName(name));
  if (tag === "span") face.setAttribute("role", "img");
  face.append(make("span", { className: "rank", textContent: word ? cardName(name) : name[0] === "T" ? "10" : name[0] }));
  face.append(make("span", { className: "suit", textContent: word ? (name === "WI" ? "★" : "☺") : SYMBOLS[name[1]] }));
  return face;
}

// --- the lobby

async function lobby() {
  const agents = await (await fetch("agents")).json();
  const rows = $("seats");
  const add = () => {
    const select = make("select");
    select.append(make("option", { value: "", textContent: rows.querySelector("select") ? "another person, by link" : "you" }));
    for (const name of agents) select.append(make("option", { textContent: name }));
    if (rows.querySelector("select")) select.value = agents.at(-1);
    rows.append(make("label", {}, `Seat ${rows.querySelectorAll("select").length + 1}`, select));
    count();
  };
  const count = () => {
    const seats = rows.querySelectorAll("select").length;
    $("more").disabled = seats >= 6;
    $("fewer").disabled = seats <= 3;
  };
  for (let seat = 0; seat < 4; seat++) add();
  $("more").onclick = add;
  $("fewer").onclick = () => { rows.lastElementChild.remove(); count(); };
  $("lobby").onsubmit = async (event) => {
    event.preventDefault();
    const sizes = $("sizes").value.split(/[\s,]+/).filter(Boolean).map(Number);
    const wanted = {
      seats: [...rows.querySelectorAll("select")].map((select) => select.value || null),
      bid_restriction: $("restriction").value, bid_reveal: $("reveal").value, magic_edition: $("magic").checked,
      hand_sizes: sizes.length ? sizes : null,
    };
    await enter(fetch("tables", { method: "POST", body: JSON.stringify(wanted) }));
  };
  $("lobby").hidden = false;
}

async function enter(request) {
  const answer = await request;
  const opened = await answer.json();
  if (!answer.ok) { $("error").textContent = opened.why; return; }
  if (opened.token) localStorage.setItem(`wizard ${opened.table}`, opened.token);
  location.hash = opened.table;
}

// --- the connection

async function arrive() {
  const name = location.hash.slice(1);
  if (!name) { $("table").hidden = true; return lobby(); }
  $("lobby").hidden = true;
  $("error").textContent = "";
  connect(name, localStorage.getItem(`wizard ${name}`));
}

function connect(name, token) {
  const address = new URL(`tables/${name}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  socket = new WebSocket(address);
  socket.onopen = () => { say({ kind: "sit", token }); };
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.kind === "view") { view = message; retry = 500; show(); }
    else if (message.kind === "hint") showAdvice(message);
    else if (view === null && token === null) join(name);
    else $("error").textContent = message.why;
  };
  socket.onclose = () => {
    if (view === null || location.hash.slice(1) !== name) return;
    $("status").textContent = "The connection is lost; trying again.";
    setTimeout(() => connect(name, token), retry);
    retry = Math.min(retry * 2, 10000);
  };
}

async function join(name) {
  await enter(fetch(`tables/${name}/seats`, { method: "POST" }));
  if (localStorage.getItem(`wizard ${name}`)) connect(name, localStorage.getItem(`wizard ${name}`));
}

const say = (message) => socket.send(JSON.stringify(message));
const choose = (action) => { $("error").textContent = ""; say({ kind: "act", action, decisions: view.decisions }); };

// --- what is shown

function show() {
  const scene = view.scene;
  $("table").hidden = false;
  $("round").textContent = `Round ${scene.round_number} of ${scene.num_rounds}, ${scene.hand_size} card${scene.hand_size > 1 ? "s" : ""}`;
  const suit = (letter) => make("b", { className: letter, textContent: `${SYMBOLS[letter]} ${SUITS[letter]}` });
  $("suits").replaceChildren("Trump ", scene.trump ? suit(scene.trump) : scene.phase === "trump" ? "not named yet" : "none");
  if (scene.led_suit) $("suits").append(" · led ", suit(scene.led_suit));
  $("players").replaceChildren(...scene.seats.map(player));
  showTrick(scene);
  showChoices(scene);
  showEvents();
  $("advice").hidden = true;
  const playing = view.you !== null;
  for (const name of ["hint", "adviser", "back"]) $(name).hidden = !playing;
  $("hint").disabled = !view.legal.length;
  $("back").disabled = !view.can_take_back;
  $("last").disabled = !view.last_trick;
  $("pad").disabled = !scene.pad.length;
  if (document.activeElement !== $("pace")) $("pace").value = view.seconds;
  $("invite").hidden = !view.open.length;
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
  if (seat.acts) item.dataset.acts = "";
  return item;
}

function showTrick(scene) {
  const done = !scene.trick.length && view.last_trick && scene.phase !== "bid" && scene.phase !== "trump";
  const last = view.last_trick;
  const played = done ? last.cards.map((name, place) => [(last.leader + place) % scene.seats.length, name]) : scene.trick;
  $("trick").replaceChildren(...played.map(([seat, name], place) => {
    const item = make("li", {}, card(name), make("span", { className: "who", textContent: seatName(seat) }));
    if (done ? seat === last.winner : place === scene.winning) item.dataset.wins = "";
    return item;
  }));
  if (!played.length && scene.upcard) {
    $("trick").append(make("li", {}, card(scene.upcard), make("span", { className: "who", textContent: "turned up" })));
  }
  $("outcome").textContent = done ? `${seatName(last.winner)} took the trick.` : "";
}

function showChoices(scene) {
  const prompts = { trump: "Name the trump.", bid: "How many tricks do you bid?", play: "Play a card." };
  const acting = scene.seats.find((seat) => seat.acts);
  $("status").textContent = scene.phase === "over"
    ? `The game is over. Won by ${scene.winners.map(seatName).join(" and ")} with ${Math.max(...scene.seats.map((seat) => seat.score))} points.`
    : view.legal.length ? prompts[scene.phase] : `${seatName(acting.number)} to act`;
  if (scene.phase === "over") {
    $("status").append(" ", make("a", { href: `tables/${view.table}/record`, textContent: "Record" }),
      " · ", make("a", { href: "./", textContent: "Another game" }));
  }
  const said = view.legal.filter((action) => !action.startsWith("play"));
  $("choices").replaceChildren(...said.map((action) => {
    const what = action.split(" ")[1];
    const button = make("button", { textContent: SYMBOLS[what] ? `${SYMBOLS[what]} ${SUITS[what]}` : what, onclick: () => choose(action) });
    button.setAttribute("aria-label", SYMBOLS[what] ? `trump ${SUITS[what]}` : `bid ${what}`);
    return button;
  }));
  const hands = view.you === null ? [] : scene.seats[view.you].hand;
  $("hand").replaceChildren(...hands.map((name) => {
    const face = card(name, "button");
    face.disabled = !view.legal.includes(`play ${name}`);
    face.onclick = () => choose(`play ${name}`);
    return face;
  }));
  const first = document.querySelector("#choices button, #hand button:not(:disabled)");
  if (first && (document.activeElement === document.body || !document.activeElement)) first.focus({ preventScroll: true });
}

function showEvents() {
  $("events").replaceChildren(...view.events.toReversed().map((event) => {
    const [verb, what] = event.action.split(" ");
    const told = verb === "play" ? `plays the ${cardName(what)}` : verb === "trump" ? `names ${SUITS[what]}` : `bids ${what ?? ""}`;
    let text = `${seatName(event.seat)}: ${told}`;
    if (event.winner !== null) text += `; ${seatName(event.winner)} took the trick`;
    if (event.points) text += `; round ${event.round_number}: ${event.points.map((points, seat) => `${seatName(seat)} ${points > 0 ? "+" : ""}${points}`).join(", ")}`;
    return make("li", { textContent: text });
  }));
}

function showAdvice(message) {
  if (message.decisions !== view.decisions) return;
  $("advice").querySelector("caption").textContent = `${message.agent} would choose`;
  $("advice").tBodies[0].replaceChildren(...message.advice.slice(0, 6).map((one) => make("tr", {},
    make("td", { textContent: one.action.startsWith("play") ? cardName(one.action.split(" ")[1]) : one.action }),
    make("td", { textContent: `${Math.round(100 * one.share)}%` }),
    make("td", { textContent: one.points === null ? "" : `${one.points.toFixed(1)} points` }))));
  $("advice").hidden = false;
}

function paper(...content) {
  $("paper").firstElementChild.replaceChildren(...content);
  $("paper").showModal();
}

function scorePad() {
  const row = (tag, cells) => make("tr", {}, ...cells.map((text) => make(tag, { textContent: text })));
  const body = view.scene.pad.map(([number, round]) => row("td", [
    `${number}`, round.trump ? SYMBOLS[round.trump] : "–",
    ...round.bids.map((bid, seat) => `${round.tricks_won[seat]}/${bid} ${round.points[seat] > 0 ? "+" : ""}${round.points[seat]}`)]));
  paper(make("table", {}, make("caption", { textContent: "Tricks won / bid, points" }),
    row("th", ["", "", ...view.scene.seats.map((seat) => seatName(seat.number))]), ...body,
    row("th", ["", "", ...view.scene.seats.map((seat) => `${seat.score}`)])));
}

function lastTrick() {
  const { leader, cards, winner } = view.last_trick;
  const items = cards.map((name, place) => {
    const seat = (leader + place) % view.names.length;
    return make("p", {}, card(name), ` ${seatName(seat)}${seat === winner ? ", took the trick" : ""}`);
  });
  paper(...items);
}

$("hint").onclick = () => say({ kind: "hint", agent: $("adviser").value });
$("back").onclick = () => say({ kind: "take_back" });
$("pad").onclick = scorePad;
$("last").onclick = lastTrick;
$("pace").onchange = (event) => say({ kind: "pace", seconds: Number(event.target.value) });
window.onhashchange = () => location.reload();
fetch("agents").then((answer) => answer.json()).then((names) => {
  $("adviser").replaceChildren(...names.toReversed().map((name) => make("option", { textContent: name })));
});
arrive();
