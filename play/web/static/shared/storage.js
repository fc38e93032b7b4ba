// Storage: the person's name and the tokens of seats; for one tab, the games under review.
import { t } from "../language.js";
import { complain } from "./elements.js";

const PERSON = "wizard name";
const tokenKey = (table) => `wizard ${table}`;
const MOST_TOKENS = 100;
const RECORDS = "wizard review";
const MOMENT = "wizard review, place";

export const savedPerson = () => localStorage.getItem(PERSON) ?? "";
export const savePerson = (name) => localStorage.setItem(PERSON, name);

// "" unless it was set.
export const savedSetting = (name) => localStorage.getItem(`wizard, ${name}`) ?? "";
export const saveSetting = (name, value) => localStorage.setItem(`wizard, ${name}`, value);

// The agents in the seats of the table that was opened last, "" for people; empty if there was none.
const SEATS = "wizard seats";
export const savedSeats = () => JSON.parse(localStorage.getItem(SEATS)) ?? [];
export const saveSeats = (names) => localStorage.setItem(SEATS, JSON.stringify(names));

export const savedToken = (table) => localStorage.getItem(tokenKey(table));
export const saveToken = (table, token) => localStorage.setItem(tokenKey(table), token);
export const forgetToken = (table) => localStorage.removeItem(tokenKey(table));

// The tokens of all seats that this browser has taken, by table; at most as many as the server accepts at once.
export function savedTokens() {
  const names = Object.keys(localStorage).filter((key) => /^wizard [\w-]{8,}$/.test(key));
  return Object.fromEntries(
    names.slice(0, MOST_TOKENS).map((key) => [key.slice("wizard ".length), localStorage.getItem(key)]),
  );
}

// The table at which this browser plays a match, or null: the same deals are played once.
const matchKey = (match) => `wizard match ${match}`;
export const savedMatch = (match) => localStorage.getItem(matchKey(match));
export const saveMatch = (match, table) => localStorage.setItem(matchKey(match), table);

// The text of a file of records, and the names of its players or null. Null if nothing is kept.
export const savedRecords = () => JSON.parse(sessionStorage.getItem(RECORDS));

// Returns whether the records are kept; otherwise the page shows the reason.
export function saveRecords(text, names = null) {
  if (!text.trim()) {
    complain(t("This file is empty."));
    return false;
  }
  sessionStorage.removeItem(MOMENT);
  try {
    sessionStorage.setItem(RECORDS, JSON.stringify([text, names]));
    return true;
  } catch {
    complain(t("This file is too large for the browser to keep."));
    return false;
  }
}

// The number of the game in the file, and the number of decisions made so far.
export const savedMoment = () => JSON.parse(sessionStorage.getItem(MOMENT)) ?? [0, 0];
export const saveMoment = (game, decisions) =>
  sessionStorage.setItem(MOMENT, JSON.stringify([game, decisions]));

// The games that drills come from, and the drills, see drills/collection.js.
const DRILLS = "wizard drills";
export const savedDrills = () => JSON.parse(localStorage.getItem(DRILLS)) ?? [];
export const saveDrills = (games) => localStorage.setItem(DRILLS, JSON.stringify(games));

// Whether the sheet of luck and skill stays open from table to table.
const LUCK = "wizard luck";
export const keepsLuckOpen = () => localStorage.getItem(LUCK) !== "closed";
export const saveLuckOpen = (open) => localStorage.setItem(LUCK, open ? "open" : "closed");
