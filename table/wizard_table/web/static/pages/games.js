// The finished games of the person, as this browser keeps them, and what they add up to. No server sees them.
import { placeOf } from "../shared/elements.js";
import { savedGames, saveGames } from "../shared/storage.js";

const MOST_GAMES = 1000; // are kept; the oldest is forgotten
const DAY = 24 * 3600 * 1000; // milliseconds
const DAILY = "daily-"; // then a date: the match of that day's deals, as the server names it

// The date whose deals are today's: in UTC, as on the server.
export const today = () => dateOf(Date.now());

const dateOf = (time) => new Date(time).toISOString().slice(0, 10);

// Called with each view of a seat at a table where the game is over. Each game counts once, as it ended first.
export function keepResult({ table, match, you, scene }) {
  const games = savedGames();
  if (games.some((game) => game.table === table)) return;
  const scores = scene.seats.map(({ score }) => score);
  const rounds = scene.pad.map(([, { hand_size, bids, tricks_won, points }]) => [
    hand_size,
    bids[you],
    tricks_won[you],
    points[you],
  ]);
  saveGames([...games, { table, match, place: placeOf(scores, you), rounds }].slice(-MOST_GAMES));
}

const isMet = ([, bid, won]) => bid === won;

// A square for each round, green where the bid was met; "" for a game that is not kept.
export function gridOf(table) {
  const game = savedGames().find((one) => one.table === table);
  return game ? game.rounds.map((round) => (isMet(round) ? "🟩" : "🟥")).join("") : "";
}

// The number of days in a row, up to today or yesterday, whose deals were played to the end.
export function streakOf(games, date) {
  const days = new Set(games.filter(({ match }) => match?.startsWith(DAILY)).map(({ match }) => match));
  const isPlayed = (time) => days.has(DAILY + dateOf(time));
  let time = Date.parse(date);
  if (!isPlayed(time)) time -= DAY;
  let count = 0;
  for (; isPlayed(time); time -= DAY) count++;
  return count;
}

// The number of rounds, the share of bids met, and the mean of tricks won less bid.
export function sumUp(rounds) {
  const mean = (value) => rounds.reduce((sum, round) => sum + value(round), 0) / rounds.length;
  return {
    rounds: rounds.length,
    met: mean((round) => Number(isMet(round))),
    bias: mean(([, bid, won]) => won - bid),
  };
}

// The same for each hand size, the smallest first.
export const sumUpBySize = (rounds) =>
  [...new Set(rounds.map(([size]) => size))]
    .sort((one, other) => one - other)
    .map((size) => ({ size, ...sumUp(rounds.filter((round) => round[0] === size)) }));

// The points of a round, on average, in each game.
export const courseOf = (games) =>
  games.map(({ rounds }) => rounds.reduce((sum, [, , , points]) => sum + points, 0) / rounds.length);
