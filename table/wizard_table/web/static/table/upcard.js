// The card turned up, which lies on the felt all through the round and marks the trump suit.

import { card, SUITS, suitSymbol } from "../drawings/cards.js";
import { t } from "../language.js";
import { $, make } from "../shared/elements.js";

export function drawTrump({ scene }) {
  const { upcard, trump, phase } = scene;
  const parts = upcard ? [card(upcard)] : [];
  const words = make("span", { className: "words" }, make("span", {}, t("Trump")));
  if (trump) {
    const suit = make("span", { className: "suit-word", textContent: SUITS[trump] });
    words.append(
      make("b", { className: `suit-name ${trump}`, title: SUITS[trump] }, suitSymbol(trump), " ", suit),
    );
  } else words.append(make("b", {}, phase === "trump" ? t("not named yet") : t("none")));
  $("trump").replaceChildren(...parts, words);
  $("trump").hidden = phase === "over" || phase === "waiting";
}
