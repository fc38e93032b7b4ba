// The same deals at the table: inviting others to them, and what they have made of them.
import { t } from "../language.js";
import { ask, askQuietly } from "../shared/connection.js";
import { $, actionName, chip, levelName, make, row, SYMBOLS, signed } from "../shared/elements.js";
import { savedToken, saveMatch } from "../shared/storage.js";

let latest = null; // the view that came last
let against = 0; // the place of the other in the list of others
let asked = ""; // the state of the table for which the comparison was asked

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
  const button = make("button", { textContent: t("Let a friend play the same deals") });
  button.onclick = invite;
  const note = t("Nothing can be taken back from then on.");
  part(make("p", {}, button), make("p", { className: "note", textContent: note }));
}

async function invite() {
  const invitation = await ask(`tables/${latest.table}/match`, body());
  if (invitation) showLink(invitation.address);
}

function showLink(address) {
  const field = make("input", { value: address, readOnly: true, className: "link" });
  field.setAttribute("aria-label", t("Link to the same deals"));
  field.onfocus = () => field.select();
  const copy = make("button", { textContent: t("Copy link") });
  copy.onclick = async () => {
    field.select();
    await navigator.clipboard?.writeText(address);
    copy.textContent = t("Copied");
  };
  $("same").querySelector("p.share")?.remove();
  $("same").append(make("p", { className: "share" }, field, copy));
}

async function compare() {
  if (!$("same").open || latest.match === null) return;
  const found = await askQuietly(`tables/${latest.table}/comparison`, body({ against }));
  if (!found) return;
  const again = make("button", { textContent: t("Look again"), onclick: compare });
  const link = make("button", { textContent: t("Link to the same deals"), onclick: invite });
  const buttons = make("p", {}, link, " ", again);
  if (!found.others.length) {
    return part(make("p", { textContent: t("Nobody else has played these deals yet.") }), buttons);
  }
  part(othersOf(found), ...(found.rounds.length ? [roundsOf(found)] : []), ...partings(found), buttons);
}

function othersOf({ others }) {
  const lines = others.map(({ name, rounds, difference }, place) => {
    const line = row("td", ["", `${rounds}`, rounds ? signed(difference) : "–"]);
    const button = make("button", { textContent: levelName(name) });
    button.setAttribute("aria-pressed", place === against);
    button.onclick = () => {
      against = place;
      compare();
    };
    line.cells[0].append(button);
    return line;
  });
  const head = row("th", [t("Against"), t("rounds"), t("you lead by")]);
  return make("table", { className: "sums" }, make("thead", {}, head), make("tbody", {}, ...lines));
}

function roundsOf({ others, rounds }) {
  const lines = rounds.map(({ round_number, points, bids, tricks_won, difference }) =>
    row("td", [
      `${round_number}`,
      ...[0, 1].map((who) => `${tricks_won[who]}/${bids[who]} ${signed(points[who])}`),
      signed(difference),
    ]),
  );
  const head = row("th", [t("Round"), t("You"), levelName(others[against].name), t("difference")]);
  const caption = make("caption", { textContent: t("Tricks won / bid, points") });
  return make("table", { className: "sums" }, caption, make("thead", {}, head), make("tbody", {}, ...lines));
}

// Where play parted: the first choices that differ, and the tricks from there on.
function partings({ others, rounds }) {
  return rounds
    .filter(({ parted }) => parted !== null)
    .map(({ round_number, parted, first_trick, tricks, trump }) => {
      const who = levelName(latest.names[parted.seat]);
      const [mine, theirs] = parted.actions.map(actionName);
      const where = t("Round {number} parts at {who}: {mine} here, {theirs} there", {
        number: round_number,
        who: parted.seat === latest.you ? t("your seat") : who,
        mine,
        theirs,
      });
      const lines = tricks.map((pair, place) => {
        const line = make("tr", {}, make("td", { textContent: `${first_trick + place}` }));
        for (const trick of pair) line.append(make("td", {}, ...cardsOf(trick)));
        return line;
      });
      const suits = trump.map((suit) => (suit ? SYMBOLS[suit] : "–"));
      const head = row("th", [
        t("Trick"),
        `${t("You")} ${suits[0]}`,
        `${levelName(others[against].name)} ${suits[1]}`,
      ]);
      const table = make(
        "table",
        { className: "sums" },
        make("thead", {}, head),
        make("tbody", {}, ...lines),
      );
      if (!lines.length) return make("p", { textContent: where });
      return make("details", {}, make("summary", { textContent: where }), table);
    });
}

// The cards in the order of play; the winner's is marked.
function cardsOf({ leader, cards, winner }) {
  const seats = latest.names.length;
  return cards.flatMap((name, place) => {
    const face = chip(name);
    if ((leader + place) % seats !== winner) return [face, " "];
    const mark = make("b", { className: "taken" }, face);
    return [mark, " "];
  });
}
