// All messages to the server: requests over HTTP, and the websocket of a table.
import { t } from "../language.js";
import { $, complain } from "./elements.js";
import { duringVisit, sleep, visitSignal } from "./visit.js";

const FIRST_RETRY = 500; // milliseconds after a connection is lost; doubled after each failure
const LAST_RETRY = 10000;
const LEFT = 1000; // closing codes after which connecting again is useless
const REFUSED = 1008;
const JSON_BODY = { "Content-Type": "application/json" };

// The answer to a request, or null if there is none or the server refuses; the page then shows the reason.
export async function ask(address, body) {
  const [content, why] = await answerTo(address, body);
  complain(why);
  return content;
}

// The same in the background: the page shows nothing.
export const askQuietly = async (address, body) => (await answerTo(address, body))[0];

async function answerTo(address, body) {
  const options =
    body === undefined ? {} : { method: "POST", headers: JSON_BODY, body: JSON.stringify(body) };
  try {
    const [answer, content] = await duringVisit(fetchJson(address, options));
    return answer.ok ? [content, ""] : [null, content.why];
  } catch {
    return [null, t("The server is not responding.")];
  }
}

async function fetchJson(address, options) {
  const answer = await fetch(address, { ...options, signal: visitSignal() });
  return [answer, await answer.json()];
}

// Waits until the server can open tables, and shows the progress.
export async function untilReady() {
  for (;;) {
    const state = await ask("ready");
    $("starting").hidden = !state || state.ready;
    if (!state || state.ready) return;
    $("starting").textContent = t("The server is starting: {done} of {total} steps.", state);
    await sleep(FIRST_RETRY);
  }
}

export const recordAddress = (table) => `tables/${table}/record`;

// The record of a game that is over, or null.
export async function fetchRecord(table) {
  try {
    const answer = await duringVisit(fetch(recordAddress(table)));
    return answer.ok ? await duringVisit(answer.text()) : null;
  } catch {
    return null;
  }
}

// Connects to a table, with the token of a seat or null to watch. Each message of the server goes to `receive`.
// A connection that is lost after the first view is reported to `disconnected` and made again.
// Returns a function that sends a message.
export function connect(table, token, receive, disconnected) {
  const address = new URL(`tables/${table}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  let socket = null;
  let seated = false;
  let retry = FIRST_RETRY;
  let waiting = null; // the timer of the next attempt
  const send = (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  const open = () => {
    socket = new WebSocket(address);
    socket.onopen = () => send({ kind: "sit", token });
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.kind === "view") {
        seated = true;
        retry = FIRST_RETRY;
      }
      receive(message);
    };
    socket.onclose = ({ code }) => {
      if (!seated || code === LEFT || code === REFUSED) return;
      disconnected();
      waiting = setTimeout(open, retry);
      retry = Math.min(retry * 2, LAST_RETRY);
    };
  };
  open();
  visitSignal().addEventListener("abort", () => {
    clearTimeout(waiting);
    socket.onmessage = socket.onclose = null;
    socket.close();
  });
  return send;
}
