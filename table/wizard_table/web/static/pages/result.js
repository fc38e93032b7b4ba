// The page of a finished game, to share: a seat's result, a challenge with the same deals, and its decisions.
import { signed, t, tn } from "../language.js";
import { MATCH } from "../shared/address.js";
import { ask, askQuietly } from "../shared/connection.js";
import {
  $,
  complain,
  copyText,
  judgeOf,
  levelName,
  make,
  marksOf,
  namesOf,
  offerLobby,
  placeOf,
  placeText,
} from "../shared/elements.js";
import { heading, paragraph } from "../shared/heading.js";
import { savedMatch, savedToken, saveMatch } from "../shared/storage.js";
import { gridOf } from "./games.js";
import { challenge, costText } from "./headline.js";
import { costliest, judgedGame, sentence, worthText } from "./judgements.js";

const SHOWN = 3; // decisions

// `name` is the name of a table, "/" and a seat.
export async function showResult(name, agents) {
  const [, table, number] = /^([\w-]+)\/(\d)$/.exec(name) ?? [];
  const summary = table && (await ask(`tables/${table}`));
  const judge = judgeOf(agents);
  if (!summary) return offerLobby();
  const seat = Number(number);
  if (summary.phase !== "over" || seat >= summary.names.length) {
    complain(t("This result can be shown once the game is over."));
    return offerLobby();
  }
  const shared = await ownShare(table, seat);
  const result = { ...summary, seat, shared, match: shared?.match ?? summary.match };
  for (const mark of ["hinted", "taken_back"]) result[mark] = result[mark].includes(seat);
  const report = (judged) => draw(result, judge ? judged : null);
  document.title = `${titleOf(result)} · Wizard`;
  $("result").hidden = false;
  if (!judge) return report([]);
  const judged = await judgedGame(table, summary.num_rounds, report);
  if (judged === null) return complain(t("The server is not responding."));
  report(judged);
}

// The address at which the reader's own result is found, and the match of its deals; null for another's.
async function ownShare(table, seat) {
  const token = savedToken(table);
  const shared = token && (await askQuietly(`tables/${table}/share`, { token }));
  if (shared?.seat !== seat) return null;
  if (shared.match) saveMatch(shared.match, table); // its link leads back here
  return shared;
}

const titleOf = ({ names, scores, seat }) => `${levelName(names[seat])}: ${signed(scores[seat])}`;

// `judged` are the judgements of the first rounds, null if no agent of the server can judge.
function draw(result, judged) {
  const isJudged = judged?.length === result.num_rounds;
  const cost = isJudged ? costText(judged, result.seat) : "";
  $("result").replaceChildren(
    heading(levelName(result.names[result.seat]), scoreOf(result, cost), ranking(result)),
    result.shared ? shareBox(result, cost) : invitation(result),
    ...(judged ? [decisions(result, judged)] : []),
  );
}

function scoreOf({ scores, seat, num_rounds, ...marks }, cost) {
  const place = placeText(placeOf(scores, seat), scores.length);
  const game = tn("{count} round", "{count} rounds", num_rounds);
  const points = make(
    "p",
    { className: "points" },
    make("b", {}, signed(scores[seat])),
    make("span", {}, place),
  );
  return make("div", { className: "score" }, points, paragraph(cost || game), ...marksOf(marks));
}

function ranking(result) {
  const { scores, seat } = result;
  const names = namesOf(result);
  const order = scores.map((_, each) => each).sort((a, b) => scores[b] - scores[a]);
  const items = order.map((each) => {
    const item = make("li", {}, make("b", {}, names[each]), make("span", {}, signed(scores[each])));
    if (each === seat) item.ariaCurrent = "true";
    return item;
  });
  return make("ol", { className: "ranking" }, ...items);
}

// For the person whose result it is: words and address to send.
function shareBox(result, cost) {
  const { scores, seat, shared, table, match } = result;
  const place = placeOf(scores, seat);
  const values = { ...result, place, players: scores.length, points: scores[seat], cost };
  const text = [challenge(values), gridOf(table), shared.address].filter(Boolean).join("\n");
  const field = make("textarea", { value: text, readOnly: true, rows: 4, ariaLabel: t("Text to share") });
  field.onfocus = () => field.select();
  const copy = make("button", { className: "main" }, t("Copy text and link"));
  copy.onclick = () => copyText(text, copy);
  const links = [make("a", { href: `#${table}` }, t("Back to the table"))];
  if (match) links.push(make("a", { href: `#${MATCH}${match}` }, t("Everyone's results with these deals")));
  const parts = [make("h2", {}, t("Share")), field, copy, make("p", { className: "links" }, ...links)];
  if (!shared.reachable) parts.push(paragraph(t("Only this computer can open the link."), "note"));
  return make("section", { className: "panel" }, ...parts);
}

// For everyone else: the same deals, if they can be played.
function invitation({ match, table }) {
  const page = make("section", { className: "panel" });
  if (!match) {
    page.append(
      make("h2", {}, t("Play a game yourself")),
      paragraph(t("Bid how many tricks you will win, then win exactly that many.")),
    );
    page.append(make("a", { href: "#", className: "button main" }, t("To the lobby")));
    return page;
  }
  const own = savedMatch(match);
  const plays = own !== null && own !== table && savedToken(own) !== null;
  const text = t(
    "You get the same cards, in the same seat, against the same opponents. Then the games are compared.",
  );
  const label = plays ? t("Compare your game") : t("Play the same deals");
  page.append(make("h2", {}, t("Can you do better?")), paragraph(text));
  page.append(make("a", { href: `#${MATCH}${match}`, className: "button main" }, label));
  return page;
}

// They give the deals away: closed for those who may still play them.
function decisions({ seat, num_rounds, shared, match }, judged) {
  const parts = [];
  if (judged.length < num_rounds) {
    const progress = { done: judged.length, total: num_rounds };
    parts.push(
      make("p", { role: "status", textContent: t("Rounds checked: {done} of {total} …", progress) }),
    );
  } else {
    const losses = costliest(judged, seat, SHOWN);
    const items = losses.map((one) => make("li", {}, sentence(one)));
    parts.push(
      losses.length ? make("ol", { className: "losses" }, ...items) : paragraph(t("No clear mistakes.")),
      paragraph(worthText(judged, seat), "worth"),
    );
  }
  const title = t("The costliest decisions");
  if (shared || !match) return make("section", { className: "panel" }, make("h2", {}, title), ...parts);
  const hidden = make("details", { className: "panel" });
  hidden.open = document.querySelector("#result details")?.open ?? false;
  hidden.append(make("summary", {}, t("The costliest decisions (they give the deals away)")), ...parts);
  return hidden;
}
