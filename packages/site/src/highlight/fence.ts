import type { MarkdownNode } from "../page/index.ts";

/** The parsed info string after the three backticks. */
export interface Fence {
  /** The first word as authored, without braces, e.g. `Python` or `ts`. Empty if it is missing. */
  readonly language: string;
  /** The title from bare words, `title=` or `filename=`. Empty if it is missing. */
  readonly title: string;
  readonly icon?: string;
  readonly iconType?: string;
  readonly highlighted: LineRanges;
  readonly focused: LineRanges;
  readonly isWrapped: boolean;
  readonly isExpandable: boolean;
  readonly hasLineNumbers: boolean;
  /** Whether readers get a button that copies the code. */
  readonly isCopyable: boolean;
}

/** Pairs of the first and the last line, which are 1-based and both included. */
type LineRanges = readonly (readonly [first: number, last: number])[];

/** The length to which info strings are truncated. The longest of 51,846 real ones has 118 characters. */
export const maxMetaLength = 1_000;

/** Matches one part of an info string: `key=value`, `{key=value}`, `{1,3}`, a quoted string or a word. */
const metaPart =
  /\s*(?:(?<key>[A-Za-z_][\w-]*)=(?<value>"[^"]*"|'[^']*'|\{[^}]*\}|\S*)|\{(?<key>[A-Za-z_][\w-]*)=(?<value>"[^"]*"|'[^']*'|\{[^}]*\}|[^\s{}]*)\}|\{(?<range>[\d\s,-]*)\}|(?<word>"[^"]*"|'[^']*'|\S+))/gy;

/** The switches, which are words of the info string that are not part of the title. */
const switches = new Set(["wrap", "expandable", "lines", "twoslash", "nocopy"]);

/**
 * Reads the info string of a `code` node. Values may be quoted, in braces or bare. `key=value` pairs for other tools
 * (`test="skip"`, `theme=...`) are ignored and do not become part of the title.
 */
export function parseFence(node: MarkdownNode<"code">): Fence {
  const info = node.lang ?? "";
  const braces = info.indexOf("{");
  const language = braces > 0 ? info.slice(0, braces) : info;
  const meta = node.meta?.slice(0, maxMetaLength) ?? "";
  const attached = braces > 0 ? info.slice(braces, braces + maxMetaLength) : "";
  // A block without a language may begin with the switch (```nocopy).
  if (language === "nocopy") return readMeta("", `nocopy ${attached} ${meta}`);
  return readMeta(language, attached === "" ? meta : `${attached} ${meta}`);
}

/** Reports whether the info string is longer than what `parseFence` reads. */
export function isInfoTruncated({ lang = "", meta }: MarkdownNode<"code">): boolean {
  return lang.length > maxMetaLength || (meta?.length ?? 0) > maxMetaLength;
}

function readMeta(language: string, meta: string): Fence {
  // Most blocks have this form.
  return { language, ...(meta === "" ? noMeta : readOptions(meta)) };
}

function readOptions(meta: string): Omit<Fence, "language"> {
  const { words, options, lines } = splitMeta(meta);
  const icon = options.get("icon");
  const iconType = options.get("iconType");
  const isOn = (name: string) => options.has(name) && options.get(name) !== "false";
  return {
    title: options.get("title") ?? (words.join(" ") || options.get("filename") || ""),
    ...(icon === undefined ? {} : { icon }),
    ...(iconType === undefined ? {} : { iconType }),
    highlighted: parseRanges([...lines, options.get("highlight") ?? ""].join(",")),
    focused: parseRanges(options.get("focus") ?? ""),
    isWrapped: isOn("wrap"),
    isExpandable: isOn("expandable"),
    hasLineNumbers: isOn("lines"),
    isCopyable: !isOn("nocopy"),
  };
}

const noMeta = readOptions("");

interface MetaParts {
  /** Bare words in order, which form the title. */
  readonly words: readonly string[];
  readonly options: ReadonlyMap<string, string>;
  /** The contents of braces without a key, e.g. `1,3` for `{1,3}`. */
  readonly lines: readonly string[];
}

function splitMeta(meta: string): MetaParts {
  const words: string[] = [];
  const options = new Map<string, string>();
  const lines: string[] = [];
  for (const { groups = {} } of meta.matchAll(metaPart)) {
    const { key, value, range, word } = groups;
    if (key !== undefined) options.set(key, unquote(value ?? ""));
    else if (range !== undefined) lines.push(range);
    else if (word !== undefined && switches.has(word)) options.set(word, "true");
    else if (word !== undefined) words.push(/^["']/.test(word) ? unquote(word) : word);
  }
  return { words, options, lines };
}

/** Returns `text` for `{"text"}`, `"text"` and `{text}`. */
function unquote(value: string): string {
  const inner = /^\{(.*)\}$/s.exec(value)?.[1]?.trim() ?? value;
  return /^(["'`])(.*)\1$/s.exec(inner)?.[2] ?? inner;
}

/** Parses ranges such as `1,3-5`. Any other text between the commas is ignored. */
function parseRanges(text: string): LineRanges {
  const ranges: [number, number][] = [];
  for (const part of text.split(",")) {
    const range = /^[\s[]*(\d{1,6})(?:\s*-\s*(\d{1,6}))?[\s\]]*$/.exec(part);
    if (range !== null) ranges.push([Number(range[1]), Number(range[2] ?? range[1])]);
  }
  return ranges;
}

/** Returns 1 for each line of a block with `count` lines that is in a range, and 0 for the others. */
export function findLinesInRanges(ranges: LineRanges, count: number): Uint8Array {
  const found = new Uint8Array(count);
  for (const [first, last] of ranges) found.fill(1, Math.max(first - 1, 0), last);
  return found;
}
