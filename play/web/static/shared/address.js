// The part of the address after # names the page: nothing for the lobby, "review", or the name of a table.
export const LOBBY = "";
export const REVIEW = "review";

export const currentPage = () => location.hash.slice(1);

export function goTo(page) {
  if (page === currentPage()) location.reload();
  else location.hash = page;
}
