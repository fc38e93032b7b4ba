// The person's finished games, as this device keeps them: how often bids are met, and the course from game to game.
import { decimal, percent, signed, t, tn } from "../language.js";
import { $, make, makeTable, row } from "../shared/elements.js";
import { heading, paragraph } from "../shared/heading.js";
import { forgetGames, savedGames } from "../shared/storage.js";
import { chart } from "./course.js";
import { courseOf, streakOf, sumUp, sumUpBySize, today } from "./games.js";

export function showProfile() {
  const games = savedGames();
  document.title = `${t("Your results")} · Wizard`;
  const note = paragraph(t("Games that you finished on this device. Nobody else sees this page."));
  const title = t("Your results");
  if (games.length) {
    const rounds = games.flatMap((game) => game.rounds);
    const parts = [sizes(rounds), ...(games.length > 1 ? [course(games)] : []), clearing()];
    $("result").replaceChildren(heading(title, note, facts(games, rounds)), ...parts);
  } else {
    const play = make("a", { href: "#", className: "button main" }, t("To the lobby"));
    const empty = make("section", { className: "panel" }, paragraph(t("No game yet.")), play);
    $("result").replaceChildren(heading(title, note), empty);
  }
  $("result").hidden = false;
}

function facts(games, rounds) {
  const { met, bias } = sumUp(rounds);
  const streak = streakOf(games, today());
  const lines = [
    [t("Games"), decimal(games.length)],
    [t("Won"), decimal(games.filter(({ place }) => place === 1).length)],
    [t("Bids met"), percent(met)],
    [t("Tricks won minus bid, average"), signed(bias, 2)],
    [t("Today's deals"), tn("{count} day in a row", "{count} days in a row", streak)],
  ];
  const parts = lines.flatMap(([term, text]) => [make("dt", {}, term), make("dd", {}, text)]);
  return make("dl", { className: "facts" }, ...parts);
}

function sizes(rounds) {
  const lines = sumUpBySize(rounds).map(({ size, rounds: count, met, bias }) =>
    row("td", [decimal(size), decimal(count), percent(met), signed(bias, 2)]),
  );
  const headings = [t("Cards"), t("Rounds"), t("Bids met"), t("Tricks won minus bid, average")];
  return make(
    "section",
    { className: "panel" },
    make("h2", {}, t("By hand size")),
    makeTable("sums", headings, lines),
  );
}

function course(games) {
  const values = courseOf(games);
  const all = values.map((points) => signed(points, 1)).join("; ");
  const label = t("Average points per round, game by game: {points}", { points: all });
  const caption = make("figcaption", {}, t("Average points per round, game by game"));
  const figure = make("figure", { className: "course" }, caption, chart([values], label));
  return make("section", { className: "panel" }, figure);
}

function clearing() {
  const button = make("button", {}, t("Delete them"));
  button.onclick = () => {
    forgetGames();
    showProfile();
  };
  const asked = paragraph(t("This deletes all these games and your days in a row from this device."));
  return make(
    "details",
    { className: "panel" },
    make("summary", {}, t("Delete these results")),
    asked,
    button,
  );
}
