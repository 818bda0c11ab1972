const parts = String.raw`/?[\p{L}\p{N}_@~-][\p{L}\p{N}_.@~-]*(?:/[\p{L}\p{N}_.@~-]+)*`;
const path = new RegExp(`^${parts}/?$`, "u");
/** A page, which has no trailing slash, because that would indicate a folder. */
const page = new RegExp(`^(?!(?:its?|this|that|them|all|every|each|everything)$)${parts}$`, "u");
/** An unambiguous path. A single word would not be one, because it may also name a position or a kind of thing. */
const file = new RegExp(String.raw`^(?=.*/|.*\.mdx?$)${parts}$`, "u");
const target = new RegExp(String.raw`^${parts}(?:#[^\s#]+)?$|^https?://\S+$`, "u");
const name = /^[\p{L}\p{N}][\p{L}\p{N}_.-]*$/u;
/** A field of the frontmatter, such as `og:image`. */
const field = /^[\p{L}][\p{L}\p{N}_.-]*(?::[\p{L}\p{N}_.-]+)*$/u;
/** The name of a group or a tab beside that word. Other words could belong to the instruction. */
const divisionName =
  /^(?!.*(?:^| )(?:to|and|then|with|called|its)(?: |$))[\p{L}\p{N}][^"“”«»`:]*$/iu;
const capital = String.raw`[\p{Lu}\p{N}][\p{L}\p{N}+&/.'’-]*`;
/**
 * A new name without quotation marks. Each of its words is capitalized, because other words could be a second clause of
 * the instruction: `to Payments and move it up`.
 */
const words = new RegExp(String.raw`^(?!(?:title|sentence|upper|lower|camel) ?case$)${capital}(?: (?:(?:of|for|and|&|in|with|up|out|off|your|via|vs) )?(?:(?:the|an?) )?${capital})*$`, "u"); // prettier-ignore

/** The maximum number of words in a value without quotation marks. */
const maxWords: Readonly<Record<string, number>> = { scope: 12, division: 5, words: 6 };

export function countSlotTokens(slot: string): number {
  return maxWords[slot] ?? 1;
}

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
  division: divisionName,
  words,
  field,
  word: /^(?!(?:something|none|nothing|null|default|empty|blank|upper|lower|mixed)$)[a-z\d][\w.-]*$/i,
  from: /^v?\d[\w.+-]*$/,
  to: /^v?\d[\w.+-]*$/,
  product: name,
};

export function isBareValue(slot: string, word: string): boolean {
  return bareValues[slot]?.test(word) === true;
}

/** Slots whose quoted values must also be paths. Pages, groups and folders may be named in words. */
const addresses: ReadonlySet<string> = new Set(["path", "source", "field"]);
const pair = /^[\w:-]*\w:\s+\S/;

export function isQuotedValue(slot: string, text: string): boolean {
  if (slot === "pair") return pair.test(text);
  return text !== "" && (!addresses.has(slot) || isBareValue(slot, text));
}
