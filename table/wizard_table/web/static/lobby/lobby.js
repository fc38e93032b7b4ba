// The lobby: a game at once, today's deals, drills, a table for a friend; then games to return to, and all options.

import { card } from "../drawings/cards.js";
import { signed, t, tn } from "../language.js";
import { dueDrills } from "../pages/collection.js";
import { goTo } from "../shared/address.js";
import { askQuietly, enableWhenReady, isCompiled, untilCompiled } from "../shared/connection.js";
import { $, complain, levelName, make, namesOf } from "../shared/elements.js";
import { takeSeat } from "../shared/seat.js";
import { forgetToken, savedPerson, savedSeats, savedTokens, saveSeats } from "../shared/storage.js";
import { sleep } from "../shared/visit.js";
import { optionsText } from "../table/drawing.js";

const MOST_SEATS = 6;
const FEWEST_SEATS = 3;
const FIRST_SEATS = 4; // seats in the form when it opens
const CARDS = 60;
const FEWEST_ROUNDS = 3;
const FIRST_GAME = [1, 2, 3, 4, 5]; // the hand sizes of a newcomer's game
const FRIENDLY = "rule_based"; // the agent that a newcomer meets, if the server offers it
const REFRESH = 5000; // milliseconds between two requests for the tables
// The options that few tables play by: the field, the value and the words of each.
const MORE_RULES = [
  ["reveal", "secret", t("when the round is over")],
  ["restriction", "leader", t("the same, for a leader alone")],
  ["restriction", "canadian", t("the same, in the last round")],
];

export function showLobby(agents) {
  welcome();
  const friendly = friendlyOf(agents);
  offerSeats(agents, friendly);
  $("person").value = savedPerson();
  onSubmit("play", () => {
    const seats = [null, friendly, friendly, friendly];
    return openTable("play", savedPerson(), { seats, hand_sizes: FIRST_GAME });
  });
  offerFriend(friendly);
  onSubmit("lobby", openChosenTable);
  $("more-rules").onclick = offerMoreRules;
  const due = dueDrills(Date.now()).length;
  $("due").hidden = !due;
  $("due").textContent = tn("{count} due", "{count} due", due);
  for (const button of document.querySelectorAll("#entrance .main")) enableWhenReady(button);
  followGames();
}

const friendlyOf = (agents) => (agents.find(({ name }) => name === FRIENDLY) ?? agents[0]).name;

function offerFriend(friendly) {
  const seats = [null, friendly, null, friendly];
  $("friendly").value = savedPerson();
  offerRounds($("evening"), seats.length);
  onSubmit("friend", () => {
    const options = { seats, hand_sizes: handSizes($("evening")), listed: false };
    return openTable("friend", $("friendly").value, options);
  });
}

// The first rounds of a game: three, or more, or all of them.
function offerRounds(select, players) {
  const all = CARDS / players;
  const chosen = select.value;
  select.replaceChildren(new Option(t("all {count}", { count: all }), ""));
  for (let count = FEWEST_ROUNDS; count < all; count++) select.append(new Option(count, count));
  select.value = chosen;
  if (select.selectedIndex < 0) select.value = "";
}

const handSizes = ({ value }) => (value ? Array.from({ length: value }, (_, round) => round + 1) : null);

async function followGames() {
  for (;;) {
    if (!document.hidden) await showGames();
    await sleep(REFRESH);
  }
}

function onSubmit(form, action) {
  $(form).onsubmit = (event) => {
    event.preventDefault();
    action();
  };
}

const seats = () => [...$("seats").querySelectorAll("select")];

// The seats of the table that was opened last; else the person's, and a friendly agent in the others.
function offerSeats(agents, friendly) {
  const kept = savedSeats();
  const limit = () => {
    $("more").disabled = seats().length >= MOST_SEATS;
    $("fewer").disabled = seats().length <= FEWEST_SEATS;
    offerRounds($("rounds"), seats().length);
    limitClock();
  };
  const add = () => {
    const number = seats().length;
    const select = make("select", {}, new Option(number ? t("another person, by link") : t("you"), ""));
    for (const agent of agents) select.append(levelOption(agent));
    select.value = kept[number] ?? (number ? friendly : "");
    if (select.selectedIndex < 0) select.value = friendly; // an agent that this server does not offer
    $("seats").append(make("label", {}, t("Seat {number}", { number: number + 1 }), select));
    limit();
  };
  $("seats").onchange = limitClock;
  while (seats().length < (kept.length || FIRST_SEATS)) add();
  $("more").onclick = add;
  $("fewer").onclick = () => {
    $("seats").lastElementChild.remove();
    limit();
  };
}

// A person alone with the computer has all the time they want.
function limitClock() {
  $("clocks").hidden = seats().filter(({ value }) => !value).length < 2;
}

// A level that cannot play yet says so, and is offered when it can.
function levelOption({ name, lead, waits }) {
  const level = levelName(name);
  const text = lead === null ? level : t("{level} ({points})", { level, points: signed(lead) });
  const option = new Option(text, name);
  if (waits && !isCompiled()) {
    option.disabled = true;
    option.text = `${text} · ${t("Preparing …")}`;
    untilCompiled().then(() => Object.assign(option, { disabled: false, text }));
  }
  return option;
}

function offerMoreRules() {
  for (const [field, value, words] of MORE_RULES) $(field).append(new Option(words, value));
  $("more-rules").hidden = true;
  $("reveal").focus();
}

function openChosenTable() {
  const chosen = seats().map((select) => select.value);
  saveSeats(chosen);
  openTable("lobby", $("person").value, {
    seats: chosen.map((name) => name || null),
    bid_restriction: $("restriction").value,
    bid_reveal: $("reveal").value,
    magic_edition: $("magic").checked,
    hand_sizes: handSizes($("rounds")),
    clock: Number($("clock").value) || null,
    watchers: $("watchers").checked,
  });
}

async function openTable(form, person, options) {
  complain("");
  const opened = await takeSeat($(form), "tables", person, options);
  if (opened) goTo(opened.table);
}

// Offers an open seat at a table to a person who followed its link.
export function offerSeat({ table, names, open, num_rounds, rules, clock }) {
  welcome();
  for (const part of document.querySelectorAll("#play, .offers, .others, #more-options")) part.hidden = true;
  const seated = names.filter((_, seat) => !open.includes(seat)).map(levelName);
  $("host").textContent = t("At the table: {names}.", { names: seated.join(", ") });
  const length = tn("{count} round", "{count} rounds", num_rounds);
  $("length").textContent = [length, optionsText(rules, clock)].filter(Boolean).join(", ");
  $("seats-open").textContent = tn("{count} seat is open.", "{count} seats are open.", open.length);
  $("joiner").value = savedPerson();
  onSubmit("join", async () => {
    const seat = await takeSeat($("join"), `tables/${table}/seats`, $("joiner").value);
    if (seat || !(await askQuietly(`tables/${table}`))?.open.length) goTo(table);
  });
  enableWhenReady($("join").querySelector("button.main"));
  $("join").hidden = false;
}

// Tells a guest who is late that every seat is taken, and offers to watch, where that is allowed, or another table.
export function showFull(summary, agents, watch) {
  welcome();
  for (const part of document.querySelectorAll("#play, a.offer, #more-options")) part.hidden = true;
  $("seated").textContent = t("At the table: {names}.", { names: namesOf(summary).join(", ") });
  $("watch").hidden = !summary.watchable;
  $("watch").onclick = () => {
    $("entrance").hidden = true;
    watch();
  };
  offerFriend(friendlyOf(agents));
  $("full").hidden = false;
}

function welcome() {
  $("emblem").replaceChildren(...["QS", "KH", "WI", "AD", "JE"].map((name) => card(name)));
  for (const face of $("emblem").children) face.removeAttribute("role");
  $("entrance").hidden = false;
}

// --- games to return to

async function showGames() {
  const tokens = savedTokens();
  const [own, all] = await Promise.all([
    Object.keys(tokens).length ? askQuietly("tables/mine", { tokens }) : { tables: [], gone: [] },
    askQuietly("tables"),
  ]);
  if (!own || !all) return;
  own.gone.forEach(forgetToken);
  const others = all.tables.filter(({ table }) => !(table in tokens));
  showList("own", $("mine"), own.tables);
  showList("open", $("waiting"), others);
}

function showList(section, list, tables) {
  $(section).hidden = !tables.length;
  list.replaceChildren(...tables.map(itemOf));
}

function itemOf(summary) {
  const { table, phase, seat, turn, round_number, num_rounds, open } = summary;
  const round = t("Round {number} of {total}", { number: round_number, total: num_rounds });
  const state = {
    waiting: tn("{count} open seat", "{count} open seats", open.length),
    playing: turn === seat ? t("{round}, your turn", { round }) : round,
    over: t("over"),
  }[phase];
  const players = namesOf(summary).join(", ");
  return make("li", {}, make("a", { href: `#${table}` }, make("b", {}, players), make("span", {}, state)));
}
