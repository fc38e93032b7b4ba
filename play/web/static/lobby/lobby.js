// The entrance: the form that opens a table, games to return to, and the form for a seat that a link leads to.
import { dueDrills } from "../drills/collection.js";
import { t, tn } from "../language.js";
import { goTo, REVIEW } from "../shared/address.js";
import { askQuietly, enableWhenReady } from "../shared/connection.js";
import { $, card, complain, levelName, make, signed } from "../shared/elements.js";
import {
  forgetToken,
  savedPerson,
  savedSeats,
  savedTokens,
  saveRecords,
  saveSeats,
} from "../shared/storage.js";
import { sleep } from "../shared/visit.js";
import { takeSeat } from "./seat.js";

const MOST_SEATS = 6;
const FEWEST_SEATS = 3;
const FIRST_SEATS = 4; // seats in the form when it opens
const GENTLE = 1; // the index of the agent that a newcomer meets
const REFRESH = 5000; // milliseconds between two requests for the tables

export function showLobby(agents) {
  welcome();
  offerSeats(agents);
  $("person").value = savedPerson();
  $("lobby").onsubmit = (event) => {
    event.preventDefault();
    openTable();
  };
  $("file").onchange = async () => {
    const [file] = $("file").files;
    if (file && saveRecords(await file.text())) goTo(REVIEW);
  };
  const due = dueDrills(Date.now()).length;
  if (due) $("drills").textContent = tn("{count} drill is due", "{count} drills are due", due);
  $("lobby").hidden = false;
  enableWhenReady($("lobby").querySelector("button.main"));
  followGames();
}

const seats = () => [...$("seats").querySelectorAll("select")];

// The seats of the table that was opened last; else the person's, and a gentle agent in the others.
function offerSeats(agents) {
  const kept = savedSeats();
  const gentle = (agents[GENTLE] ?? agents.at(-1)).name;
  const limit = () => {
    $("more").disabled = seats().length >= MOST_SEATS;
    $("fewer").disabled = seats().length <= FEWEST_SEATS;
  };
  const add = () => {
    const number = seats().length;
    const select = make("select", {}, new Option(number ? t("another person, by link") : t("you"), ""));
    for (const { name, lead } of agents) {
      const level = lead === null ? levelName(name) : `${levelName(name)} (${signed(lead)})`;
      select.append(new Option(level, name));
    }
    select.value = kept[number] ?? (number ? gentle : "");
    if (select.selectedIndex < 0) select.value = gentle; // an agent that this server does not offer
    $("seats").append(make("label", {}, t("Seat {number}", { number: number + 1 }), select));
    limit();
  };
  while (seats().length < (kept.length || FIRST_SEATS)) add();
  $("more").onclick = add;
  $("fewer").onclick = () => {
    $("seats").lastElementChild.remove();
    limit();
  };
}

async function openTable() {
  const sizes = $("sizes").value.match(/[^\s,]+/g) ?? [];
  const wrong = sizes.find((size) => !/^\d+$/.test(size));
  if (wrong)
    return complain(t("Hand sizes: {size} is not a whole number; write them like 1,2,3.", { size: wrong }));
  const chosen = seats().map((select) => select.value);
  saveSeats(chosen);
  const opened = await takeSeat($("lobby"), "tables", $("person").value, {
    seats: chosen.map((name) => name || null),
    bid_restriction: $("restriction").value,
    bid_reveal: $("reveal").value,
    magic_edition: $("magic").checked,
    hand_sizes: sizes.length ? sizes.map(Number) : null,
    watchers: $("watchers").checked,
    listed: $("listed").checked,
  });
  if (opened) goTo(opened.table);
}

// Offers an open seat at a table to a person who followed its link.
export function offerSeat({ table, names }) {
  welcome();
  $("host").textContent = t("At the table: {names}.", { names: names.map(levelName).join(", ") });
  $("joiner").value = savedPerson();
  $("join").onsubmit = async (event) => {
    event.preventDefault();
    if (await takeSeat($("join"), `tables/${table}/seats`, $("joiner").value)) goTo(table);
  };
  enableWhenReady($("join").querySelector("button.main"));
  $("join").hidden = false;
}

function welcome() {
  $("emblem").replaceChildren(...["QS", "KH", "WI", "AD", "7C"].map((name) => card(name)));
  for (const face of $("emblem").children) face.removeAttribute("role");
  $("entrance").hidden = false;
}

// --- games to return to

async function followGames() {
  for (;;) {
    if (!document.hidden) await showGames();
    await sleep(REFRESH);
  }
}

async function showGames() {
  const tokens = savedTokens();
  const [own, all] = await Promise.all([
    Object.keys(tokens).length ? askQuietly("tables/mine", { tokens }) : { tables: [], gone: [] },
    askQuietly("tables"),
  ]);
  if (!own || !all) return;
  own.gone.forEach(forgetToken);
  $("mine").replaceChildren(...itemsOf(own.tables, t("None yet.")));
  const others = all.tables.filter(({ table }) => !(table in tokens));
  $("waiting").replaceChildren(...itemsOf(others, t("None at present.")));
  $("games").hidden = false;
}

const itemsOf = (tables, otherwise) =>
  tables.length ? tables.map(itemOf) : [make("li", { className: "note" }, otherwise)];

function itemOf({ table, phase, names, seat, turn, round_number, num_rounds, open }) {
  const round = t("Round {number} of {total}", { number: round_number, total: num_rounds });
  const state = {
    waiting: t("open seats: {count}", { count: open.length }),
    playing: turn === seat && seat !== undefined ? `${round} · ${t("your turn")}` : round,
    over: t("over"),
  }[phase];
  const people = names.map(levelName).join(", ");
  return make("li", {}, make("a", { href: `#${table}` }, make("b", {}, people), make("span", {}, state)));
}
