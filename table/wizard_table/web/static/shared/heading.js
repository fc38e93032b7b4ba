// The head of a page without a table: the way back to the lobby, and a large title.
import { t } from "../language.js";
import { make } from "./elements.js";

export function heading(title, ...below) {
  const back = make(
    "a",
    { href: "#", className: "back" },
    make("span", { ariaHidden: "true" }, "‹ "),
    t("Lobby"),
  );
  return make("header", { className: "heading" }, back, make("h1", {}, title), ...below);
}

export const paragraph = (textContent, className = "") => make("p", { textContent, className });
