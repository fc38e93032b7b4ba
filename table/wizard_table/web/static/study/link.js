// Links to a moment of a game: the whole record is in the address, behind the #, so that no server keeps it.
import { STUDY } from "../shared/address.js";

export async function linkTo(record, decisions) {
  const packed = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(record));
  const text = btoa(String.fromCharCode(...packed))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  return `${location.origin}${location.pathname}#${STUDY}${text.replaceAll("=", "")}/${decisions}`;
}

// Returns the record and the number of decisions in a page's name; null if it is no such link.
export async function readLink(page) {
  const [text, decisions] = page.slice(STUDY.length).split("/");
  try {
    const packed = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(packed, (letter) => letter.charCodeAt(0));
    const record = new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes));
    return { record, decisions: Number(decisions) || 0 };
  } catch {
    return null;
  }
}

const through = async (stream, bytes) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
