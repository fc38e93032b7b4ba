// The page of a match, and of the deals of the day: what is played, against whom, and everybody's results.
import { locale, signed, t, tn } from "../language.js";
import { DAILY, goTo, RESULT } from "../shared/address.js";
import { ask, enableWhenReady } from "../shared/connection.js";
import { $, levelName, make, makeTable, marksOf, offerLobby, placeText, row } from "../shared/elements.js";
import { heading, paragraph } from "../shared/heading.js";
import { takeSeat } from "../shared/seat.js";
import { savedGames, savedMatch, savedPerson, savedToken, saveMatch } from "../shared/storage.js";
import { optionsText } from "../table/drawing.js";
import { streakOf, today } from "./games.js";

export async function showMatch(name) {
  const isDaily = name === DAILY;
  const key = isDaily ? `${DAILY} ${today()}` : name;
  const own = playedTable(key);
  const asked = own === null ? "" : `?table=${encodeURIComponent(own)}`;
  const found = /^[\w-]+$/.test(name) && (await ask(`matches/${name}${asked}`));
  if (!found) return offerLobby();
  const title = isDaily ? t("Today's deals") : t("The same deals");
  const head = heading(title, paragraph(explanation(isDaily)), facts(found, isDaily));
  const play = own === null ? seatForm(name, key) : ownGame(own, found);
  document.title = `${title} · Wizard`;
  $("result").replaceChildren(head, play, resultsOf(found, isDaily));
  $("result").hidden = false;
}

// The table at which this browser plays the deals already, or null.
function playedTable(key) {
  const table = savedMatch(key);
  return table !== null && savedToken(table) !== null ? table : null;
}

const explanation = (isDaily) =>
  isDaily
    ? t(
        "Everybody on this server gets the same cards today, in the same seat and against the same opponents: who makes the most of them?",
      )
    : t(
        "You get the very cards that another has played, in the same seat and against the same opponents: who makes more of them?",
      );

function facts({ rules, num_rounds, seats }, isDaily) {
  const sizes = rules.hand_sizes;
  const rounds = tn("{count} round", "{count} rounds", num_rounds);
  const lines = [
    [
      t("Rounds"),
      sizes ? t("{rounds}, of {sizes} cards", { rounds, sizes: listed(sizes.map(String)) }) : rounds,
    ],
    [t("Opponents"), listed(opponents(seats))],
  ];
  if (isDaily)
    lines.unshift([
      t("Date"),
      new Intl.DateTimeFormat(locale, { dateStyle: "full", timeZone: "UTC" }).format(),
    ]);
  const streak = isDaily ? streakOf(savedGames(), today()) : 0;
  if (streak) lines.push([t("Played"), tn("{count} day in a row", "{count} days in a row", streak)]);
  const options = optionsText(rules);
  if (options) lines.push([t("Rules"), options]);
  const parts = lines.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]);
  return make("dl", { className: "facts" }, ...parts);
}

const listed = (words) => new Intl.ListFormat(locale).format(words);

// "3 × Champion": agents of one level are counted.
function opponents(seats) {
  const counts = new Map();
  for (const name of seats.filter((one) => one !== null).map(levelName))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
}

function seatForm(name, key) {
  const person = make("input", {
    maxLength: 20,
    value: savedPerson(),
    autocomplete: "nickname",
    placeholder: t("as others see it"),
  });
  const form = make(
    "form",
    { className: "panel" },
    make("label", {}, t("Your name"), " ", person),
    make("button", { className: "main", textContent: t("Play these deals") }),
    paragraph(t("You play them once, and nothing can be taken back. Hints are allowed, and marked."), "note"),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    const seated = playedTable(key); // in another tab meanwhile
    if (seated !== null) return goTo(seated);
    const opened = await takeSeat(form, `matches/${name}/seats`, person.value);
    if (!opened) return;
    saveMatch(key, opened.table);
    goTo(opened.table);
  };
  enableWhenReady(form.querySelector("button"));
  return form;
}

function ownGame(table, { results, seats }) {
  const isOver = results.some(({ own, over }) => own && over);
  const open = make(
    "a",
    { href: `#${table}`, className: "button main" },
    isOver ? t("See your game") : t("Continue your game"),
  );
  if (!isOver) return make("section", { className: "panel" }, open);
  const share = make(
    "a",
    { href: `#${RESULT}${table}/${seats.indexOf(null)}`, className: "button" },
    t("Share your result"),
  );
  return make("section", { className: "panel row" }, share, open);
}

// --- results

function resultsOf({ results, seats, num_rounds }, isDaily) {
  const title = make("h2", {}, isDaily ? t("Results of the day") : t("Results"));
  const panel = make("section", { className: "panel" }, title);
  if (!results.length) panel.append(paragraph(t("Nobody has played these deals yet. Be the first!")));
  else panel.append(resultTable(results, seats.length, num_rounds));
  return panel;
}

function resultTable(results, players, num_rounds) {
  const finished = results.filter(({ over }) => over);
  const lines = results.map((result) => {
    const { name, points, place, rounds, over, own } = result;
    const rank = 1 + finished.filter((other) => other.points > points).length;
    const state = over
      ? placeText(place, players)
      : t("{done} of {total} rounds", { done: rounds, total: num_rounds });
    const line = row("td", [over ? `${rank}` : "", levelName(name), state, signed(points)]);
    line.cells[1].append(...marksOf(result));
    if (own) line.ariaCurrent = "true";
    if (!over) line.dataset.playing = "";
    return line;
  });
  return makeTable("results", ["", t("Name"), t("At the table"), t("points")], lines);
}
