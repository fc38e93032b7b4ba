// Texts and numbers in the reader's language; the English text is the key. They are loaded before any script that imports
// this one runs, and the page's own texts are translated at once.
import { expectAnswer, FIRST_RETRY, noteSilence, pause } from "./shared/silence.js";

const COOKIE = "language";
const YEAR = 365 * 24 * 3600; // seconds
const LABELS = ["alt", "aria-label", "placeholder", "title"];
const SILENT = "script, kbd";
const LOCALES = { en: "en-GB", pt: "pt-PT" }; // the locale whose numbers and plurals a language has, if it is another

const { language, languages, texts } = await loadTexts();
const locale = LOCALES[language] ?? language;
const plurals = new Intl.PluralRules(locale);

// The code of the language in use, its locale, and the name of each language in itself by its code.
export { language, languages, locale };

async function loadTexts() {
  let heard = null;
  for (;;) {
    const ending = new AbortController();
    const answered = expectAnswer(() => ending.abort());
    try {
      const answer = await fetch("language", { signal: ending.signal });
      const loaded = await answer.json();
      heard?.();
      return loaded;
    } catch {
      heard ??= noteSilence();
    } finally {
      answered();
    }
    await pause(FIRST_RETRY);
  }
}

// t("Round {number} of {total}", { number: 3, total: 15 })
export const t = (text, values = {}) => fill(texts[text] ?? text, values);

// tn("{count} trick", "{count} tricks", 2): the form of the text for a number of things.
export function tn(singular, plural, count, values = {}) {
  const [one, other] = texts[singular] ?? [singular, plural];
  return fill(plurals.select(count) === "one" ? one : other, { count, ...values });
}

function fill(text, values) {
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    if (!(name in values)) throw new Error(`"${text}" has no value for {${name}}`);
    return values[name];
  });
}

// --- numbers, with a real minus

const MINUS = "−";

// A number with a sign, unless it is shown as 0.
export const signed = (points, digits = 0) => format(points, digits, { signDisplay: "exceptZero" });

export const decimal = (number, digits = 0) => format(number, digits);

export const percent = (share) => format(share, 0, { style: "percent" });

function format(number, digits, options = {}) {
  const fractions = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const text = new Intl.NumberFormat(locale, { ...fractions, signDisplay: "negative", ...options });
  return text.format(number).replace("-", MINUS);
}

// --- the language of the page

// Remembers the choice for this browser and shows the page in it.
export function chooseLanguage(code) {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not everywhere yet
  document.cookie = `${COOKIE}=${code};path=/;max-age=${YEAR};samesite=strict`;
  location.reload();
}

// Scripts, keys, elements marked translate="no", and what is in them, stay as they are.
function translate(root) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node.nodeType === Node.ELEMENT_NODE && (node.translate === false || node.matches(SILENT))
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE) node.data = translated(node.data);
    else
      for (const name of LABELS)
        if (node.hasAttribute(name)) node.setAttribute(name, translated(node.getAttribute(name)));
  }
}

// The spaces around a text stay; those within it count as one.
function translated(text) {
  const key = text.trim().replace(/\s+/g, " ");
  return texts[key] ? text.replace(text.trim(), () => texts[key]) : text;
}

document.documentElement.lang = language;
translate(document.documentElement);
