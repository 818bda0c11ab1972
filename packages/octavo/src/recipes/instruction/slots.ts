const parts = String.raw`/?[\p{L}\p{N}_@~-][\p{L}\p{N}_.@~-]*(?:/[\p{L}\p{N}_.@~-]+)*`;
const path = new RegExp(`^${parts}/?$`, "u");
/** A page, which has no trailing slash, because that would indicate a folder. */
const page = new RegExp(`^${parts}$`, "u");
/** An unambiguous path. A single word would not be one, because it may also name a position or a kind of thing. */
const file = new RegExp(String.raw`^(?=.*/|.*\.mdx?$)${parts}$`, "u");
const target = new RegExp(String.raw`^${parts}(?:#[^\s#]+)?$|^https?://\S+$`, "u");
const name = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;

/** The patterns of unquoted values. All other slots take only quoted values. */
const bareValues: Readonly<Record<string, RegExp>> = {
  scope: path,
  page,
  file,
  path,
  source: path,
  target,
  group: name,
  tab: name,
  field: name,
  from: /^v?\d[\w.+-]*$/,
  to: /^v?\d[\w.+-]*$/,
  product: name,
};

export function isBareValue(slot: string, word: string): boolean {
  return bareValues[slot]?.test(word) === true;
}

/** Slots whose quoted values must also be paths. Pages, groups and folders may be named in words. */
const addresses: ReadonlySet<string> = new Set(["path", "source"]);

export function isQuotedValue(slot: string, text: string): boolean {
  return text !== "" && (!addresses.has(slot) || isBareValue(slot, text));
}
