// The service worker: with its files, the score sheet and the puzzles open without a network. Files of the static
// folder, whose address changes with them, come from the cache; the rest of these comes from the network, and from
// the cache if no server answers. Everything else passes by. The server fills in the two constants.
const STATIC = "static/";
const FILES = [];
const FRESH = ["./", "language", "agents", "ready", "points", "puzzles"];

const { scope } = self.registration;
const absolute = (name) => new URL(name, scope).href;
const PREFIX = `wizard ${scope} `;
const CACHE = PREFIX + STATIC;
const kept = new Set(FRESH.map(absolute));

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(keepAll());
});

self.addEventListener("activate", (event) => event.waitUntil(replaceOlder()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const [address] = request.url.split(/[?#]/);
  if (request.method !== "GET") return;
  if (address.startsWith(absolute(STATIC))) event.respondWith(cached(request));
  else if (kept.has(address)) event.respondWith(fresh(request, address));
});

async function keepAll() {
  const cache = await caches.open(CACHE);
  await cache.addAll([...FRESH, ...FILES.map((name) => STATIC + name)].map(absolute));
}

async function replaceOlder() {
  for (const name of await caches.keys())
    if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name);
  await self.clients.claim();
}

async function cached(request) {
  return (await caches.match(request, { cacheName: CACHE })) ?? fetch(request);
}

// The answer varies with the language, but the last one is better than none.
async function fresh(request, address) {
  const cache = await caches.open(CACHE);
  const last = () => cache.match(address, { ignoreVary: true });
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(address, answer.clone());
    else if (answer.status >= 500) return (await last()) ?? answer;
    return answer;
  } catch (error) {
    const answer = await last();
    if (answer) return answer;
    throw error;
  }
}
