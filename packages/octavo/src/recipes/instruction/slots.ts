/** The pattern for a slot's unquoted value, and the placeholder for a missing one. */
interface Slot {
  readonly bare?: RegExp;
  readonly placeholder: string;
}

const parts = String.raw`/?[\p{L}\p{N}_@~-][\p{L}\p{N}_.@~-]*(?:/[\p{L}\p{N}_.@~-]+)*`;
const path = new RegExp(`^${parts}/?$`, "u");
/** A page: no trailing slash, which would name a folder. */
const page = new RegExp(`^${parts}$`, "u");
/** An unambiguous path: a single word may also name a position or a kind of thing. */
const file = new RegExp(String.raw`^(?=.*/|.*\.mdx?$)${parts}$`, "u");
const target = new RegExp(String.raw`^${parts}(?:#[^\s#]+)?$|^https?://\S+$`, "u");
const name = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;

const slots: Readonly<Record<string, Slot>> = {
  scope: { bare: path, placeholder: "guides/" },
  page: { bare: page, placeholder: "path/to/page" },
  file: { bare: file, placeholder: "path/to/page" },
  path: { bare: path, placeholder: "new/path" },
  source: { bare: path, placeholder: "old/path" },
  target: { bare: target, placeholder: "path/to/page" },
  group: { bare: name, placeholder: "Group" },
  tab: { bare: name, placeholder: "Tab" },
  field: { bare: name, placeholder: "title" },
  old: { placeholder: "old term" },
  new: { placeholder: "new term" },
  from: { bare: /^v?\d[\w.+-]*$/, placeholder: "1.2.3" },
  to: { bare: /^v?\d[\w.+-]*$/, placeholder: "1.3.0" },
  product: { bare: name, placeholder: "name" },
  title: { placeholder: "New page" },
  value: { placeholder: "New text" },
  description: { placeholder: "What the page is about." },
  text: { placeholder: "The text of the page." },
};

export function isBareValue(slot: string, word: string): boolean {
  return slots[slot]?.bare?.test(word) === true;
}

/** Slots whose quoted values must be paths too. Pages, groups and folders may be named in words. */
const addresses: ReadonlySet<string> = new Set(["path", "source"]);

export function isQuotedValue(slot: string, text: string): boolean {
  return text !== "" && (!addresses.has(slot) || isBareValue(slot, text));
}

export function getPlaceholder(slot: string): string {
  return slots[slot]?.placeholder ?? slot;
}
