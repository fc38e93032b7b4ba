// What the browser keeps: the person's name and the tokens of seats; for one tab, the games under review.
import { complain } from "./elements.js";

const PERSON = "wizard name";
const tokenKey = (table) => `wizard ${table}`;
const RECORDS = "wizard review";
const PLACE = "wizard review, place";

export const savedPerson = () => localStorage.getItem(PERSON) ?? "";
export const savePerson = (name) => localStorage.setItem(PERSON, name);

export const savedToken = (table) => localStorage.getItem(tokenKey(table));
export const saveToken = (table, token) => localStorage.setItem(tokenKey(table), token);

// The text of a file of records, and the names of its players or null. Null if nothing is kept.
export const savedRecords = () => JSON.parse(sessionStorage.getItem(RECORDS));

// Returns whether the records are kept; otherwise the page shows the reason.
export function saveRecords(text, names = null) {
  if (!text.trim()) {
    complain("This file is empty.");
    return false;
  }
  sessionStorage.removeItem(PLACE);
  try {
    sessionStorage.setItem(RECORDS, JSON.stringify([text, names]));
    return true;
  } catch {
    complain("This file is too large for the browser to keep.");
    return false;
  }
}

// The number of the game in the file, and how many of its decisions have been made.
export const savedPlace = () => JSON.parse(sessionStorage.getItem(PLACE)) ?? [0, 0];
export const savePlace = (game, decisions) =>
  sessionStorage.setItem(PLACE, JSON.stringify([game, decisions]));

// Whether the sheet of luck and skill stays open from table to table.
const LUCK = "wizard luck";
export const keepsLuckOpen = () => localStorage.getItem(LUCK) !== "closed";
export const saveLuckOpen = (open) => localStorage.setItem(LUCK, open ? "open" : "closed");
