// The page of a game that is over, to share: the costliest decisions of a seat, and its luck and skill.
import { t } from "../language.js";
import { ask } from "../shared/connection.js";
import { $, complain, lobbyLink, make, offerLobby } from "../shared/elements.js";
import { signed } from "../shared/numbers.js";
import { judgedGame } from "./rounds.js";
import { costliest, notesOn, sentence, sumsOf } from "./sheet.js";

const SHOWN = 3; // decisions

// `name` is the name of a table, "/" and a seat.
export async function showResult(name, agents) {
  const [, table, number] = /^([\w-]+)\/(\d)$/.exec(name) ?? [];
  const summary = table && (await ask(`tables/${table}`));
  const judge = agents.find((agent) => agent.judges);
  if (!summary) return offerLobby();
  const seat = Number(number);
  if (summary.phase !== "over" || seat >= summary.names.length || !judge) {
    complain(t("This result can be shown once the game is over."));
    return offerLobby();
  }
  $("result").hidden = false;
  const report = (judged) => draw(summary, seat, judged);
  const judged = await judgedGame(table, summary.num_rounds, judge.name, report);
  if (judged === null) return complain(t("The server is not responding."));
  report(judged);
}

function draw({ names, scores, num_rounds }, seat, judged) {
  const title = t("{name}: {points} points, place {place} of {players}", {
    name: names[seat],
    points: signed(scores[seat]),
    place: 1 + scores.filter((score) => score > scores[seat]).length,
    players: names.length,
  });
  const parts = [make("h1", {}, title)];
  if (judged.length < num_rounds) {
    const progress = { done: judged.length, total: num_rounds };
    parts.push(make("p", { role: "status", textContent: t("Judged {done} of {total} rounds …", progress) }));
  } else {
    const losses = costliest(judged, seat, SHOWN);
    const heading = losses.length ? t("The costliest decisions") : t("No decision lost points.");
    const items = losses.map((one) => make("li", {}, sentence(one)));
    parts.push(make("h2", {}, heading), make("ol", { className: "losses" }, ...items));
  }
  if (judged.length) parts.push(sumsOf(judged, seat), ...notesOn(judged));
  $("result").replaceChildren(...parts, make("p", {}, lobbyLink()));
}
