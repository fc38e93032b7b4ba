// Numbers as the page's language writes them, with a real minus.
import { locale } from "../language.js";

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
