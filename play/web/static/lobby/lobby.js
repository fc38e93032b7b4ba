// The entrance: the form that opens a table, games to return to, and the form for a seat that a link leads to.
import { dueDrills } from "../drills/collection.js";
import { t, tn } from "../language.js";
import { goTo, REVIEW } from "../shared/address.js";
import { ask, askQuietly } from "../shared/connection.js";
import { $, card, complain, levelName, make, signed } from "../shared/elements.js";
import {
  forgetToken,
  savedPerson,
  savedSeats,
  savedTokens,
  savePerson,
  saveRecords,
  saveSeats,
  saveToken,
} from "../shared/storage.js";

const MOST_SEATS = 6;
const FEWEST_SEATS = 3;
const FIRST_SEATS = 4; // seats in the form when it opens
const GENTLE = 1; // the index of the agent that a newcomer meets
const REFRESH = 5000; // milliseconds between two requests for the tables

export function showLobby(agents) {
  welcome();
  const rows = $("seats");
  const seats = () => [...rows.querySelectorAll("select")];
  const limit = () => {
    $("more").disabled = seats().length >= MOST_SEATS;
    $("fewer").disabled = seats().length <= FEWEST_SEATS;
  };
  const kept = savedSeats();
  const gentle = (agents[GENTLE] ?? agents.at(-1)).name;
  const add = () => {
    const first = !seats().length;
    const select = make("select", {}, new Option(first ? t("you") : t("another person, by link"), ""));
    for (const { name, lead } of agents) {
      const level = lead === null ? levelName(name) : `${levelName(name)} (${signed(lead)})`;
      select.append(new Option(level, name));
    }
    select.value = kept[seats().length] ?? (first ? "" : gentle);
    if (select.selectedIndex < 0) select.value = gentle; // an agent that this server does not offer
    rows.append(make("label", {}, t("Seat {number}", { number: seats().length + 1 }), select));
    limit();
  };
  while (seats().length < (kept.length || FIRST_SEATS)) add();
  $("more").onclick = add;
  $("fewer").onclick = () => {
    rows.lastElementChild.remove();
    limit();
  };
  $("person").value = savedPerson();
  $("lobby").onsubmit = (event) => {
    event.preventDefault();
    const sizes = $("sizes")
      .value.split(/[\s,]+/)
      .filter(Boolean);
    const wrong = sizes.find((size) => !/^\d+$/.test(size));
    if (wrong)
      return complain(t("Hand sizes: {size} is not a whole number; write them like 1,2,3.", { size: wrong }));
    const chosen = seats().map((select) => select.value);
    saveSeats(chosen);
    enter(event.target, "tables", $("person").value, {
      seats: chosen.map((name) => name || null),
      bid_restriction: $("restriction").value,
      bid_reveal: $("reveal").value,
      magic_edition: $("magic").checked,
      hand_sizes: sizes.length ? sizes.map(Number) : null,
      watchers: $("watchers").checked,
      listed: $("listed").checked,
    });
  };
  $("file").onchange = async () => {
    const [file] = $("file").files;
    if (file && saveRecords(await file.text())) goTo(REVIEW);
  };
  const due = dueDrills(Date.now()).length;
  if (due) $("drills").textContent = tn("{count} drill is due", "{count} drills are due", due);
  $("lobby").hidden = false;
  showGames();
  setInterval(() => document.hidden || showGames(), REFRESH);
}

// Offers an open seat at a table to a person who followed its link.
export function offerSeat({ table, names }) {
  welcome();
  $("host").textContent = t("At the table: {names}.", { names: names.map(levelName).join(", ") });
  $("joiner").value = savedPerson();
  $("join").onsubmit = (event) => {
    event.preventDefault();
    enter(event.target, `tables/${table}/seats`, $("joiner").value, {});
  };
  $("join").hidden = false;
}

function welcome() {
  $("emblem").replaceChildren(...["QS", "KH", "WI", "AD", "7C"].map((name) => card(name)));
  for (const face of $("emblem").children) face.removeAttribute("role");
  $("entrance").hidden = false;
}

// Takes a seat and goes to its table. Meanwhile the form's button is disabled and says so.
async function enter(form, address, name, wanted) {
  const button = form.querySelector("button.main");
  if (button.disabled) return;
  button.disabled = true;
  const label = button.textContent;
  button.textContent = t("One moment …");
  const person = name.trim();
  savePerson(person);
  const opened = await ask(address, { person: person || null, ...wanted });
  button.disabled = false;
  button.textContent = label;
  if (!opened) return;
  if (opened.token) saveToken(opened.table, opened.token);
  goTo(opened.table);
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
  $("mine").replaceChildren(...listed(own.tables, t("None yet.")));
  const others = all.tables.filter(({ table }) => !(table in tokens));
  $("waiting").replaceChildren(...listed(others, t("None at present.")));
  $("games").hidden = false;
}

const listed = (tables, otherwise) =>
  tables.length ? tables.map(entry) : [make("li", { className: "note", textContent: otherwise })];

function entry({ table, phase, names, seat, turn, round_number, num_rounds, open }) {
  const round = t("Round {number} of {total}", { number: round_number, total: num_rounds });
  const state = {
    waiting: t("open seats: {count}", { count: open.length }),
    playing: turn === seat && seat !== undefined ? `${round} · ${t("your turn")}` : round,
    over: t("over"),
  }[phase];
  const people = names.map(levelName).join(", ");
  return make(
    "li",
    {},
    make(
      "a",
      { href: `#${table}` },
      make("b", { textContent: people }),
      make("span", { textContent: state }),
    ),
  );
}
