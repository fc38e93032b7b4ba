// Storage: the person's name and the tokens of seats; for one tab, the games under review.
import { t } from "../language.js";
import { complain } from "./elements.js";

// A storage of the browser. What it forbids to keep, or has no room for, is kept until the document is closed.
class Storage {
  constructor(name) {
    this.name = name;
    this.unsaved = new Map();
  }

  get(key) {
    return this.unsaved.get(key) ?? this.tried((storage) => storage.getItem(key)) ?? null;
  }

  set(key, value) {
    this.remove(key);
    const saved = this.tried((storage) => {
      storage.setItem(key, value);
      return true;
    });
    if (!saved) this.unsaved.set(key, value);
  }

  remove(key) {
    this.unsaved.delete(key);
    this.tried((storage) => storage.removeItem(key));
  }

  keys() {
    return [...this.unsaved.keys(), ...(this.tried((storage) => Object.keys(storage)) ?? [])];
  }

  tried(use) {
    try {
      return use(globalThis[this.name]);
    } catch {
      return undefined;
    }
  }
}

const browser = new Storage("localStorage");
const tab = new Storage("sessionStorage");

const PERSON = "wizard name";
const tokenKey = (table) => `wizard ${table}`;
const MOST_TOKENS = 100;
const RECORDS = "wizard review";
const MOMENT = "wizard review, place";

export const savedPerson = () => browser.get(PERSON) ?? "";
export const savePerson = (name) => browser.set(PERSON, name);

// "" unless it was set.
export const savedSetting = (name) => browser.get(`wizard, ${name}`) ?? "";
export const saveSetting = (name, value) => browser.set(`wizard, ${name}`, value);

// The agents in the seats of the table that was opened last, "" for people; empty if there was none.
const SEATS = "wizard seats";
export const savedSeats = () => JSON.parse(browser.get(SEATS)) ?? [];
export const saveSeats = (names) => browser.set(SEATS, JSON.stringify(names));

export const savedToken = (table) => browser.get(tokenKey(table));
export const saveToken = (table, token) => browser.set(tokenKey(table), token);
export const forgetToken = (table) => browser.remove(tokenKey(table));

// The tokens of all seats that this browser has taken, by table; at most as many as the server accepts at once.
export function savedTokens() {
  const names = browser.keys().filter((key) => /^wizard [\w-]{8,}$/.test(key));
  return Object.fromEntries(
    names.slice(0, MOST_TOKENS).map((key) => [key.slice("wizard ".length), browser.get(key)]),
  );
}

// The table at which this browser plays a match, or null: the same deals are played once.
const matchKey = (match) => `wizard match ${match}`;
export const savedMatch = (match) => browser.get(matchKey(match));
export const saveMatch = (match, table) => browser.set(matchKey(match), table);

// The text of a file of records, and the names of its players or null. Null if nothing is kept.
export const savedRecords = () => JSON.parse(tab.get(RECORDS));

// Returns whether there are any; otherwise the page says so.
export function saveRecords(text, names = null) {
  if (!text.trim()) {
    complain(t("This file is empty."));
    return false;
  }
  tab.remove(MOMENT);
  tab.set(RECORDS, JSON.stringify([text, names]));
  return true;
}

// The number of the game in the file, and the number of decisions made so far.
export const savedMoment = () => JSON.parse(tab.get(MOMENT)) ?? [0, 0];
export const saveMoment = (game, decisions) => tab.set(MOMENT, JSON.stringify([game, decisions]));

// The games that drills come from, and the drills, see drills/collection.js.
const DRILLS = "wizard drills";
export const savedDrills = () => JSON.parse(browser.get(DRILLS)) ?? [];
export const saveDrills = (games) => browser.set(DRILLS, JSON.stringify(games));

// Whether the sheet of luck and skill stays open from table to table.
const LUCK = "wizard luck";
export const keepsLuckOpen = () => browser.get(LUCK) !== "closed";
export const saveLuckOpen = (open) => browser.set(LUCK, open ? "open" : "closed");
