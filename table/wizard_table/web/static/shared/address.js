// The part of the address after # names the page: nothing for the lobby, one of
// these, or the name of a table.
export const LOBBY = "";
export const REVIEW = "review";
export const DAILY = "daily";
export const DRILLS = "drills";
export const SHEET = "sheet";
export const PROFILE = "profile";
export const MATCH = "match/"; // then the name of a match
export const RESULT = "result/"; // then the name of a table, "/" and a seat

export const currentPage = () => location.hash.slice(1);

// Shows a page, also if it is shown already.
export function goTo(page) {
  if (page === currentPage()) dispatchEvent(new Event("hashchange"));
  else location.hash = page;
}
