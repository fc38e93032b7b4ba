// As much of a browser as the page's pure modules need: texts, the storage, and elements that keep what they are told.
const TEXTS = { "{count} trick": ["{count} basa", "{count} bases"], spades: "piques" };

class Storage {
  getItem(key) {
    return Object.hasOwn(this, key) ? this[key] : null;
  }
  setItem(key, value) {
    if (String(value).length > 1000) throw new Error("QuotaExceededError");
    this[key] = String(value);
  }
  removeItem(key) {
    delete this[key];
  }
}

class Element {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
    this.style = { setProperty: (name, value) => Object.assign(this.style, { [name]: value }) };
  }
  append(...children) {
    this.children.push(...children);
  }
  setAttribute(name, value) {
    this[name] = value;
  }
}

Object.assign(globalThis, {
  document: {
    documentElement: {},
    createTreeWalker: () => ({ nextNode: () => null }),
    createElement: (tag) => new Element(tag),
    createElementNS: (_, tag) => new Element(tag),
  },
  fetch: async () => ({ json: async () => ({ language: "ca", languages: {}, texts: TEXTS }) }),
  localStorage: new Storage(),
  NodeFilter: {},
  sessionStorage: new Storage(),
});

export const load = (script) => import(new URL(`../../../wizard_table/web/static/${script}`, import.meta.url));
