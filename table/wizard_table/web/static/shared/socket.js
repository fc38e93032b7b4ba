// The websocket of a table. It is made again when it is lost, refused, or silent for too long.
import { untilReady } from "./connection.js";
import { expectAnswer, FIRST_RETRY, LAST_RETRY, noteSilence, onReturn, pause } from "./silence.js";
import { duringVisit, visitSignal } from "./visit.js";

const PING_EVERY = 2000; // milliseconds
const LEFT = 1000; // closing codes after which connecting again is useless
const REFUSED = 1008;

// Connects to a table, with the token of a seat or null to watch. Each message of the server goes to `receive`;
// a connection that is lost is reported to `disconnected`. Returns a function that sends a message.
export function connect(table, token, receive, disconnected) {
  const address = new URL(`tables/${table}`, location.href);
  address.protocol = address.protocol.replace("http", "ws");
  address.hash = "";
  let current = null;
  const keepConnected = async () => {
    let retry = FIRST_RETRY;
    let heard = () => {};
    const hear = (message) => {
      heard();
      if (message.kind === "view") retry = FIRST_RETRY;
      if (message.kind !== "pong") receive(message);
    };
    for (;;) {
      current = new Connection(address, { kind: "sit", token }, hear);
      const code = await duringVisit(current.ended);
      heard();
      if (code === LEFT || code === REFUSED) return;
      disconnected();
      heard = noteSilence();
      await pause(retry);
      retry = Math.min(2 * retry, LAST_RETRY);
      await untilReady();
    }
  };
  keepConnected();
  return (message) => current.send(message);
}

// One connection, from its beginning to its end. Pings find out whether the server is still there.
class Connection {
  constructor(address, first, hear) {
    this.socket = new WebSocket(address);
    this.answered = expectAnswer(() => this.end()); // called when anything is heard; null if nothing is expected
    this.over = new AbortController();
    this.ended = new Promise((end) => {
      this.end = (code) => {
        this.over.abort();
        end(code);
      };
    });
    this.socket.onopen = () => this.socket.send(JSON.stringify(first));
    this.socket.onmessage = ({ data }) => {
      this.answered?.();
      this.answered = null;
      hear(JSON.parse(data));
    };
    this.socket.onclose = ({ code }) => this.end(code);
    const pinging = setInterval(() => document.hidden || this.ping(), PING_EVERY);
    onReturn(() => this.ping(), this.over.signal);
    visitSignal().addEventListener("abort", () => this.end(), { signal: this.over.signal });
    this.over.signal.addEventListener("abort", () => {
      clearInterval(pinging);
      this.answered?.();
      this.socket.onopen = this.socket.onmessage = this.socket.onclose = null;
      this.socket.close();
    });
  }

  // A message that cannot be sent now is dropped: the view that comes with the next connection shows what counts.
  send(message) {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify(message));
    this.ping();
  }

  ping() {
    if (this.answered || this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ kind: "ping" }));
    this.answered = expectAnswer(() => this.end());
  }
}
