// The same deals at the table: an invitation to them, and a comparison with the others who play them.

import { actionName, chip, playsOf, suitSign } from "../drawings/cards.js";
import { t } from "../language.js";
import { MATCH } from "../shared/address.js";
import { ask, askQuietly } from "../shared/connection.js";
import { $, copyText, levelName, make, makeTable, marksOf, row } from "../shared/elements.js";
import { signed } from "../shared/numbers.js";
import { savedToken, saveMatch } from "../shared/storage.js";
import { onEachVisit } from "../shared/visit.js";

let latest = null; // the latest view
let against; // the index of the other in the list of others
let asked; // the match and round for which the comparison was asked
onEachVisit(() => {
  against = 0;
  asked = "";
});

// Called with each view. Only a table of one person can be played by others.
export function followMatch(view) {
  latest = view;
  const { scene, you, presence } = view;
  const people = presence.filter((one) => one !== "agent").length;
  $("same").hidden = you === null || people !== 1 || view.waiting;
  if ($("same").hidden) return;
  $("same").ontoggle = compare;
  if (view.match === null) return offer();
  saveMatch(view.match, view.table); // its link leads back here
  const state = `${view.match} ${scene.pad.length}`;
  if (state === asked) return;
  asked = state;
  compare();
}

const body = (more) => ({ token: savedToken(latest.table), ...more });
const part = (...children) =>
  $("same")
    .querySelector("div")
    .replaceChildren(...children);

function offer() {
  const button = make("button", {}, t("Let a friend play the same deals"));
  button.onclick = invite;
  const note = t("Nothing can be taken back from then on.");
  part(make("p", {}, button), make("p", { className: "note", textContent: note }));
}

async function invite() {
  const invitation = await ask(`tables/${latest.table}/match`, body());
  if (invitation) showLink(invitation.address);
}

function showLink(address) {
  const ariaLabel = t("Link to the same deals");
  const field = make("input", { value: address, readOnly: true, className: "link", ariaLabel });
  field.onfocus = () => field.select();
  const copy = make("button", {}, t("Copy link"));
  copy.onclick = () => {
    field.select();
    copyText(address, copy);
  };
  $("same").querySelector("p.share")?.remove();
  $("same").append(make("p", { className: "share" }, field, copy));
}

async function compare() {
  if (!$("same").open || latest.match === null) return;
  const found = await askQuietly(`tables/${latest.table}/comparison`, body({ against }));
  if (!found) return;
  const again = make("button", { onclick: compare }, t("Look again"));
  const link = make("button", { onclick: invite }, t("Link to the same deals"));
  const all = make("a", { href: `#${MATCH}${latest.match}` }, t("Everyone's results with these deals"));
  const buttons = make("div", {}, make("p", {}, all), make("p", {}, link, " ", again));
  if (!found.others.length) {
    return part(make("p", {}, t("Nobody else has played these deals yet.")), buttons);
  }
  part(othersOf(found), ...(found.rounds.length ? [roundsOf(found)] : []), ...partings(found), buttons);
}

function othersOf({ others }) {
  const lines = others.map(({ name, rounds, difference, ...marks }, place) => {
    const line = row("td", ["", `${rounds}`, rounds ? signed(difference) : "–"]);
    const button = make("button", { ariaPressed: place === against }, levelName(name));
    button.onclick = () => {
      against = place;
      compare();
    };
    line.cells[0].append(button);
    line.cells[0].append(...marksOf(marks));
    return line;
  });
  return makeTable("sums", [t("Against"), t("rounds"), t("you lead by")], lines);
}

function roundsOf({ others, rounds }) {
  const lines = rounds.map(({ round_number, points, bids, tricks_won, difference }) =>
    row("td", [
      `${round_number}`,
      ...[0, 1].map((who) => `${tricks_won[who]}/${bids[who]} ${signed(points[who])}`),
      signed(difference),
    ]),
  );
  const headings = [t("Round"), t("You"), levelName(others[against].name), t("difference")];
  const caption = make("caption", {}, t("Tricks won / bid, points"));
  return makeTable("sums", headings, lines, caption);
}

// The decisions where play parted: the first choices that differ, and the tricks from there on.
function partings({ others, rounds }) {
  const other = levelName(others[against].name);
  return rounds
    .filter(({ parted }) => parted !== null)
    .map(({ round_number, parted, first_trick, tricks, trump }) => {
      const who = parted.seat === latest.you ? t("your seat") : levelName(latest.names[parted.seat]);
      const [mine, theirs] = parted.actions.map(actionName);
      const values = { number: round_number, who, mine, theirs };
      const textContent = t("Round {number} parts at {who}: {mine} here, {theirs} there", values);
      if (!tricks.length) return make("p", { textContent });
      const lines = tricks.map((pair, index) => {
        const cells = pair.map((trick) => make("td", {}, ...cardsOf(trick)));
        return make("tr", {}, make("td", {}, `${first_trick + index}`), ...cells);
      });
      const headings = [t("Trick"), t("You"), other];
      const table = makeTable("sums", headings, lines);
      trump.forEach((suit, who) => {
        table.tHead.rows[0].cells[1 + who].append(" ", suit ? suitSign(suit) : "–");
      });
      return make("details", {}, make("summary", { textContent }), table);
    });
}

// The cards in the order of play; the winner's is marked.
const cardsOf = (trick) =>
  playsOf(trick, latest.names.length).flatMap(([seat, name]) => {
    const face = chip(name);
    return [seat === trick.winner ? make("b", { className: "taken" }, face) : face, " "];
  });
