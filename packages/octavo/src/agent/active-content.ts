import { parseDiff } from "../git/index.ts";
import type { DiffFile } from "../git/index.ts";

/** A reference to another host in a line of a page. */
interface RemoteContent {
  /** A description for people, such as `a link to another site`. */
  readonly what: string;
  readonly address: string;
}

const addresses = /(?:https?:)?[/\\]{2}[^\s"'<>)}\\`/][^\s"'<>)}\\`]+/gi;
/** The number of characters before an address that are searched for the address's purpose. */
const maxBefore = 300;

const picture = "a picture or recording from another host";
const link = "a link to another site";
const other = "an address on another host";

const markdownDestination = /\]\(\s{0,9}<?$/;
const definition = /^\s{0,3}\[[^\]]{1,290}\]:\s{0,9}<?$/;
const attribute = /(?:^|[\s"'])([\w:-]{1,40})\s{0,9}=\s{0,9}\{?\s{0,9}["'`]$/;
const style = /\burl\(\s{0,9}["']?$/i;
const key = /[\w-]["']?\s{0,9}:\s{0,9}["']$/;
const bare = /(?:^|[\s<(])$/;

const pictureAttribute = /^(?:src|srcset|poster|img|image|icon|logo|background|xlink:href)$/i;
/** Elements that are reported as elements, together with their attributes. */
const activeElement =
  /^<(?:(?:script|iframe|object|embed|applet|base|meta|portal)\b|(?:frame|frameset|link|form|template)\b)/;

/** A location in a change with content that may run code in a reader's browser, or with a new address. */
export interface ActiveContent {
  readonly path: string;
  readonly line: number;
  /** A description for people, in Markdown: a `<script>` element. */
  readonly what: string;
  /** Whether a page loads it or links to it without running its code. */
  readonly isRemote: boolean;
  /** The matched text, shortened to a length that can be shown. */
  readonly text: string;
}

type Found = Pick<ActiveContent, "what" | "text" | "isRemote">;

const shownLength = 160;
/** The maximum number of results. No one reads more, and a line of minified JSON could contain any number. */
const maxFound = 1_000;
const maxInLine = 20;

/** Patterns to search for in every added line. The first group is passed to `what`. */
const patterns: readonly [pattern: RegExp, what: (name: string) => string][] = [
  // Case-sensitive if a component has the same name, such as <Frame>.
  [/<(script|iframe|object|embed|applet|base|meta|portal)\b/gi, formatElement],
  [/<(frame|frameset|link|form|template)\b/g, formatElement],
  [/(?:^|[\s"'/])(on[a-z]{3,30})\s*=\s*["'{]/gi, (name) => `the event handler \`${name}\``],
  [/\b(srcdoc|formaction|dangerouslySetInnerHTML)\s*=/gi, (name) => `the attribute \`${name}\``],
  [/^\s*(export)\s.*(?:=>|\bfunction\b|\bclass\b)/g, () => "code in a page"],
];

/** Positions in which an address may appear. Prose may also mention `javascript:` or end in "JavaScript:". */
const codeAddress =
  /(?:["'(<=:]|\{`?)(?:(?:javascript|vbscript):[^\s`"'),]|data:(?:text\/html|application\/xhtml))/i;
/** An attribute's value may begin on a separate line. */
const codeAtStart = /^\s*(?:javascript|vbscript):\S/i;
/** Browsers ignore character references, whitespace and letter case before the colon. */
const reference = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(colon|sol|tab|newline));?/gi;
const namedReferences: Readonly<Record<string, string>> = { colon: ":", sol: "/" };

/** In configurations and API descriptions, every address sends readers or their browsers somewhere else. */
const dataPatterns: typeof patterns = [
  ...patterns,
  [
    /(?<!"\$schema"\s{0,4}:\s{0,4}")(?:\b(?:https?|wss?):|(?<=["']|:\s))(\/\/)[^\s"'<>)\\]{2}/gi,
    () => "a new address",
  ],
  // In the settings of analytics services, this identifies who receives the readers' data.
  [
    /"(measurementId|tagId|apiKey|apiHost|writeKey|siteId|appId|hjid|projectToken|scriptUrl)"\s{0,9}:/gi,
    (name) => `the setting \`${name}\``,
  ],
];

/**
 * Finds active content in the lines that a change adds: elements and handlers that run code, addresses that contain
 * code, addresses in configurations and API descriptions that are new to the file, and references from pages to other
 * hosts. Because only the lines of git's unified diff are read, examples in a page's code are also reported, and
 * changes inside an existing script are not.
 */
export function findActiveContent(diff: string): readonly ActiveContent[] {
  const all: ActiveContent[] = [];
  for (const file of parseDiff(diff)) {
    for (const found of findNewContent(file)) if (all.push(found) >= maxFound) return all;
  }
  return all;
}

function* findNewContent({ path, hunks }: DiffFile): Generator<ActiveContent> {
  const isData = /\.(?:json|ya?ml)$/i.test(path);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const known = new Set<string>();
  for (const { kind, text } of lines) {
    if (kind === "removed") for (const found of findIn(text, isData)) known.add(found.text);
  }
  for (const { kind, text, after: line = 0 } of lines) {
    if (kind !== "added") continue;
    for (const found of findIn(text, isData)) {
      if (!known.has(found.text)) yield { path, line, ...found };
    }
  }
}

function findIn(line: string, isData: boolean): Found[] {
  const text = isData ? decodeJsonEscapes(line) : line;
  const found: Found[] = [];
  for (const [pattern, what] of isData ? dataPatterns : patterns) {
    for (const match of text.matchAll(pattern)) {
      if (found.length >= maxInLine) return found;
      const name = what(match[1] ?? "");
      found.push({ what: name, text: extractExcerpt(text, match.index), isRemote: false });
    }
  }
  if (codeAtStart.test(text) || codeAddress.test(readLikeBrowser(text))) {
    found.push({
      what: "an address that contains code",
      text: shortenExcerpt(text),
      isRemote: false,
    });
  }
  return isData ? found : [...found, ...findRemoteContent(text)];
}

/** Returns each address once, with its first purpose. */
function findRemoteContent(line: string): Found[] {
  const found = new Map<string, Found>();
  for (const { what, address } of findRemoteReferences(decodeReferences(line))) {
    if (found.size >= maxInLine) break;
    const text = shortenExcerpt(address);
    if (!found.has(text)) found.set(text, { what, text, isRemote: true });
  }
  return [...found.values()];
}

function formatElement(name: string): string {
  return `a \`<${name.toLowerCase()}>\` element`;
}

/** Returns the text from an offset to the end of its tag or address. */
function extractExcerpt(text: string, from: number): string {
  const start = text.slice(from, from + shownLength).trimStart();
  const [whole] = /^(?:[a-z]+:)?\/\/[^\s"'<>]*|^[^>]*>?/i.exec(start) ?? [start];
  return shortenExcerpt(whole);
}

function shortenExcerpt(text: string): string {
  return text.slice(0, shownLength).toWellFormed().trim();
}

/** Decodes JSON escapes, because JSON may contain any character as `\u003c`, and a slash as `\/`. */
function decodeJsonEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text
    .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll("\\/", "/");
}

function readLikeBrowser(text: string): string {
  return decodeReferences(text).replaceAll(/[\s\p{Cc}]+/gu, "");
}

function decodeReferences(text: string): string {
  return text.replaceAll(reference, (_, code: string | undefined, name: string | undefined) => {
    if (name !== undefined) return namedReferences[name.toLowerCase()] ?? "";
    return String.fromCodePoint(Math.min(parseCodePoint(code ?? ""), 0x10_ff_ff));
  });
}

function parseCodePoint(code: string): number {
  return /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
}

/** Yields the absolute addresses in a line, except those in code. */
function* findRemoteReferences(line: string): Generator<RemoteContent> {
  for (const { 0: address, index } of line.matchAll(addresses)) {
    const before = line.slice(Math.max(0, index - maxBefore), index);
    const what = findPurpose(before, /^https?:/i.test(address));
    if (what !== undefined) yield { what, address };
  }
}

/** Returns the purpose of an address; undefined if browsers do not use the address. */
function findPurpose(before: string, hasScheme: boolean): string | undefined {
  if (markdownDestination.test(before)) return isPicture(before) ? picture : link;
  if (definition.test(before)) return link;
  if (style.test(before)) return picture;
  const [, name] = attribute.exec(before) ?? [];
  if (name !== undefined) return attributePurpose(before, name);
  if (key.test(before)) return other;
  return hasScheme && bare.test(before) ? link : undefined;
}

function attributePurpose(before: string, name: string): string | undefined {
  const tag = before.slice(Math.max(0, before.lastIndexOf("<")));
  if (activeElement.test(tag)) return undefined;
  if (pictureAttribute.test(name) || /^<image\b/i.test(tag)) return picture;
  return name.toLowerCase() === "href" ? link : other;
}

/** Reports whether the bracket pair that ends here was opened by `![`. */
function isPicture(before: string): boolean {
  const end = before.lastIndexOf("]");
  for (let at = end, depth = 0; at >= 0; at--) {
    if (before[at] === "]") depth++;
    if (before[at] === "[" && --depth === 0) return before[at - 1] === "!";
  }
  return false;
}
