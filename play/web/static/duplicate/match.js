// The page of an invitation to the same deals, and of the deals of the day: takes the seat.
import { t, tn } from "../language.js";
import { takeSeat } from "../lobby/seat.js";
import { DAILY, goTo } from "../shared/address.js";
import { ask, enableWhenReady } from "../shared/connection.js";
import { $, levelName, make, offerLobby } from "../shared/elements.js";
import { savedMatch, savedPerson, savedToken, saveMatch } from "../shared/storage.js";

export async function showMatch(name) {
  const isDaily = name === DAILY;
  const found = isDaily || (/^[\w-]+$/.test(name) && (await ask(`matches/${name}`)));
  if (!found) return offerLobby();
  const key = isDaily ? `${DAILY} ${new Date().toISOString().slice(0, 10)}` : name;
  if (returnTo(key)) return;
  const person = make("input", { className: "name", maxLength: 20, value: savedPerson() });
  const form = make(
    "form",
    {},
    make("h1", {}, isDaily ? t("The deals of the day") : t("The same deals")),
    make("p", {}, isDaily ? t("Everybody plays the same cards today.") : invitation(found)),
    make("p", { className: "note", textContent: t("Each round is compared once you have finished it.") }),
    make("label", {}, t("Your name"), " ", person),
    make("button", { className: "main", textContent: t("Sit down") }),
  );
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (returnTo(key)) return; // seated in another tab meanwhile
    const opened = await takeSeat(form, `matches/${name}/seats`, person.value);
    if (!opened) return;
    saveMatch(key, opened.table);
    goTo(opened.table);
  };
  enableWhenReady(form.querySelector("button"));
  $("result").replaceChildren(form);
  $("result").hidden = false;
}

// Returns whether this browser plays these deals already; the page then goes to that table.
function returnTo(key) {
  const table = savedMatch(key);
  const plays = table !== null && savedToken(table) !== null;
  if (plays) goTo(table);
  return plays;
}

const invitation = ({ seats, tables }) =>
  [
    t("The very cards that another has played, against the same agents: {agents}.", {
      agents: seats
        .filter((name) => name !== null)
        .map(levelName)
        .join(", "),
    }),
    tn("{count} table so far.", "{count} tables so far.", tables),
  ].join(" ");
