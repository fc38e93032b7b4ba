// The score sheet for people with real cards: it asks for each number, and keeps the score on this device.
import { icon, sign } from "../drawings/icons.js";
import { decimal, t, tn } from "../language.js";
import { ask } from "../shared/connection.js";
import { $, make, nameHeading, offerLobby } from "../shared/elements.js";
import { heading, paragraph } from "../shared/heading.js";
import { keepOffline } from "../shared/offline.js";
import { savedSheet, saveSheet } from "../shared/storage.js";
import { padCell, padTable } from "../table/pad.js";
import { linesOf, nextCall, roundsOf } from "./scoring.js";

const MOST_PLAYERS = 6;
const FEWEST_PLAYERS = 3;

let points = null; // by bid and tricks won

export async function showSheet() {
  keepOffline();
  points ??= (await ask("points"))?.points ?? null;
  if (points === null) return offerLobby();
  document.title = `${t("Score sheet")} · Wizard`;
  const sheet = savedSheet();
  if (sheet) showGame(sheet);
  else showForm(sheet);
}

function show(...panels) {
  const note = t("For a game with real cards. The sheet stays on this device.");
  $("result").replaceChildren(heading(t("Score sheet"), paragraph(note)), ...panels);
  $("result").hidden = false;
}

// --- before a game

function showForm(sheet) {
  const fields = Array.from({ length: MOST_PLAYERS }, (_, number) =>
    make("input", {
      className: "name",
      maxLength: 20,
      value: sheet?.names[number] ?? "",
      autocomplete: "off",
    }),
  );
  const labels = fields.map((field, number) =>
    make("label", {}, number ? t("Player {number}", { number: number + 1 }) : t("First dealer"), field),
  );
  const hook = make("input", { type: "checkbox", checked: sheet?.hook ?? false });
  const hooked = make("label", { className: "check" }, hook, t("The bids must not add up to the tricks"));
  const error = make("p", { className: "error", role: "alert" });
  const start = make("button", { className: "main" }, t("Begin"));
  const form = make(
    "form",
    { className: "panel" },
    make("h2", {}, t("Three to six players, clockwise")),
    ...labels,
    hooked,
    error,
    start,
  );
  if (sheet) {
    const back = make("button", { type: "button", className: "wide-button" }, t("Back to the game"));
    back.onclick = () => showGame(sheet);
    form.append(back);
  }
  form.onsubmit = (event) => {
    event.preventDefault();
    const names = fields.map((field) => field.value.trim()).filter(Boolean);
    if (names.length < FEWEST_PLAYERS) {
      error.textContent = t("Enter three to six names.");
      return fields[names.length].focus();
    }
    change({ names, hook: hook.checked, numbers: [] });
  };
  show(form);
}

// --- during a game

function change(sheet) {
  saveSheet(sheet);
  showGame(sheet);
  document.querySelector(".numbers button:enabled")?.focus({ preventScroll: true });
}

function showGame(sheet) {
  const rounds = roundsOf(sheet);
  const lines = linesOf(sheet, rounds, points);
  const call = nextCall(sheet, rounds);
  const undo = make("button", { disabled: !sheet.numbers.length }, icon("undo"), t("Undo"));
  undo.onclick = () => change({ ...sheet, numbers: sheet.numbers.slice(0, -1) });
  const renew = make("button", {}, t("New game"));
  renew.onclick = () => showForm(sheet);
  const row = make("div", { className: "row" }, undo, renew);
  const asking = call ? question(sheet, rounds.at(-1), call) : ending(sheet, lines.at(-1));
  show(
    make("section", { className: "panel" }, ...asking, row),
    make("section", { className: "panel" }, table(sheet, lines, call)),
  );
}

function question(sheet, { size, dealer, bids }, { player, isBid, most, forbidden }) {
  const { names } = sheet;
  const round = tn("Round {number}: {count} card each", "Round {number}: {count} cards each", size, {
    number: size,
  });
  const values = { name: names[player] };
  const asked = isBid
    ? t("{name}: how many tricks do you bid?", values)
    : t("{name}: how many tricks did you win?", values);
  const buttons = Array.from({ length: most + 1 }, (_, number) =>
    make("button", {
      textContent: decimal(number),
      disabled: number === forbidden,
      onclick: () => change({ ...sheet, numbers: [...sheet.numbers, number] }),
    }),
  );
  const counts = { sum: bids.reduce((total, bid) => total + bid, 0), tricks: size };
  const tally = isBid
    ? t("Bids so far add up to {sum}, tricks to win: {tricks}", counts)
    : t("Bids add up to {sum}, tricks to win: {tricks}", counts);
  const notes = [t("{name} deals.", { name: names[dealer] }), tally];
  if (forbidden !== null)
    notes.push(t("Not {bid}: the bids must not add up to {count}.", { bid: forbidden, count: size }));
  return [
    make("h2", {}, round),
    make("p", { className: "asked", role: "status" }, asked),
    make("div", { className: "numbers", role: "group", ariaLabel: asked }, ...buttons),
    ...notes.map((text) => paragraph(text, "note")),
  ];
}

function ending({ names }, { cells }) {
  const most = Math.max(...cells.map(({ total }) => total));
  const winners = names.filter((_, player) => cells[player].total === most);
  return [make("h2", { role: "status" }, t("Won by {names}", { names: winners.join(", ") }))];
}

// A row for each round, the latest first, as on the score pad of the table.
function table({ names }, lines, call) {
  const dealer = call ? lines.at(-1).dealer : null;
  const heads = names.map((name, player) => {
    const marks = player === dealer ? [" ", sign("deals", t("dealer"))] : [];
    return nameHeading(name, ...marks);
  });
  const rows = lines.map(({ size, cells }) =>
    make("tr", {}, make("th", { scope: "row" }, decimal(size)), ...cells.map(padCell)),
  );
  return padTable(heads, rows);
}
