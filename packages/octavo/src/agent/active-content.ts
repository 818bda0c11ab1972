import { parseDiff } from "../git/index.ts";
import type { DiffFile } from "../git/index.ts";

/** A reference to another host in a line of a page. */
interface RemoteContent {
  /** A description for people: `a link to another site`. */
  readonly what: string;
  readonly address: string;
}

const addressPattern = /(?:https?:)?[/\\]{2}[^\s"'<>)}\\`/][^\s"'<>)}\\`]+/gi;
/** The number of characters before an address that are searched for the address's purpose. */
const maxPrefixLength = 300;

const remoteMedia = "a picture or recording from another host";
const remoteLink = "a link to another site";
const remoteAddress = "an address on another host";

const markdownDestinationStart = /\]\(\s{0,9}<?$/;
const linkDefinitionStart = /^\s{0,3}\[[^\]]{1,290}\]:\s{0,9}<?$/;
const attributeStart = /(?:^|[\s"'])([\w:-]{1,40})\s{0,9}=\s{0,9}\{?\s{0,9}["'`]$/;
const cssUrlStart = /\burl\(\s{0,9}["']?$/i;
const dataValueStart = /[\w-]["']?\s{0,9}:\s{0,9}["']$/;
const bareAddressStart = /(?:^|[\s<(])$/;

const mediaAttribute = /^(?:src|srcset|poster|img|image|icon|logo|background|xlink:href)$/i;
/** Elements that `patterns` reports as a whole, so that their attributes are not reported separately. */
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

type FoundContent = Pick<ActiveContent, "what" | "text" | "isRemote">;

const maxExcerptLength = 160;
/** The maximum number of results. No one reads more, and a line of minified JSON could contain any number. */
const maxResults = 1_000;
const maxResultsPerLine = 20;

/** Patterns to search for in every added line. The first group is passed to `describe`. */
const patterns: readonly [pattern: RegExp, describe: (name: string) => string][] = [
  // Case matters only for elements that share their name with a component, such as <Frame>.
  [/<(script|iframe|object|embed|applet|base|meta|portal)\b/gi, formatElement],
  [/<(frame|frameset|link|form|template)\b/g, formatElement],
  [/(?:^|[\s"'/])(on[a-z]{3,30})\s*=\s*["'{]/gi, (name) => `the event handler \`${name}\``],
  [/\b(srcdoc|formaction|dangerouslySetInnerHTML)\s*=/gi, (name) => `the attribute \`${name}\``],
  [/^\s*(export)\s.*(?:=>|\bfunction\b|\bclass\b)/g, () => "code in a page"],
];

/**
 * Matches an address that contains code, but only where an address may appear: prose may also mention `javascript:` or
 * end in "JavaScript:".
 */
const codeAddress =
  /(?:["'(<=:]|\{`?)(?:(?:javascript|vbscript):[^\s`"'),]|data:(?:text\/html|application\/xhtml))/i;
/**
 * Matches a line that begins with an address that contains code, because an attribute's value may begin on a new line.
 */
const codeAtStart = /^\s*(?:javascript|vbscript):\S/i;
/** Browsers decode character references, and ignore whitespace and letter case, before the colon. */
const characterReference = /&(?:#(\d{1,7}|x[\da-f]{1,6})|(colon|sol|tab|newline));?/gi;
const namedReferences: Readonly<Record<string, string>> = { colon: ":", sol: "/" };

/** In configurations and API descriptions, every address sends readers or their browsers to another host. */
const dataPatterns: typeof patterns = [
  ...patterns,
  [
    /(?<!"\$schema"\s{0,4}:\s{0,4}")(?:\b(?:https?|wss?):|(?<=["']|:\s))(\/\/)[^\s"'<>)\\]{2}/gi,
    () => "a new address",
  ],
  // These settings of analytics services identify who receives the readers' data.
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
  const results: ActiveContent[] = [];
  for (const file of parseDiff(diff)) {
    for (const found of findNewContent(file)) if (results.push(found) >= maxResults) return results;
  }
  return results;
}

function* findNewContent({ path, hunks }: DiffFile): Generator<ActiveContent> {
  const isData = /\.(?:json|ya?ml)$/i.test(path);
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const removedTexts = new Set<string>();
  for (const { kind, text } of lines) {
    if (kind === "removed")
      for (const found of findLineContent(text, isData)) removedTexts.add(found.text);
  }
  for (const { kind, text, after: line = 0 } of lines) {
    if (kind !== "added") continue;
    for (const found of findLineContent(text, isData)) {
      if (!removedTexts.has(found.text)) yield { path, line, ...found };
    }
  }
}

function findLineContent(line: string, isData: boolean): FoundContent[] {
  const text = isData ? decodeJsonEscapes(line) : line;
  const found: FoundContent[] = [];
  for (const [pattern, describe] of isData ? dataPatterns : patterns) {
    for (const match of text.matchAll(pattern)) {
      if (found.length >= maxResultsPerLine) return found;
      const description = describe(match[1] ?? "");
      found.push({ what: description, text: extractExcerpt(text, match.index), isRemote: false });
    }
  }
  if (codeAtStart.test(text) || codeAddress.test(decodeLikeBrowser(text))) {
    found.push({
      what: "an address that contains code",
      text: shortenExcerpt(text),
      isRemote: false,
    });
  }
  return isData ? found : [...found, ...findRemoteContent(text)];
}

/** Returns the references to other hosts in a line, each address once, with its first purpose. */
function findRemoteContent(line: string): FoundContent[] {
  const found = new Map<string, FoundContent>();
  for (const { what, address } of findRemoteReferences(decodeReferences(line))) {
    if (found.size >= maxResultsPerLine) break;
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
  const start = text.slice(from, from + maxExcerptLength).trimStart();
  const [excerpt] = /^(?:[a-z]+:)?\/\/[^\s"'<>]*|^[^>]*>?/i.exec(start) ?? [start];
  return shortenExcerpt(excerpt);
}

function shortenExcerpt(text: string): string {
  return text.slice(0, maxExcerptLength).toWellFormed().trim();
}

/**
 * Decodes the JSON escapes with which an address or element could be disguised: `\u003c` is `<`, and `\/` is a slash.
 */
function decodeJsonEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text
    .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll("\\/", "/");
}

function decodeLikeBrowser(text: string): string {
  return decodeReferences(text).replaceAll(/[\s\p{Cc}]+/gu, "");
}

function decodeReferences(text: string): string {
  return text.replaceAll(
    characterReference,
    (_, code: string | undefined, name: string | undefined) => {
      if (name !== undefined) return namedReferences[name.toLowerCase()] ?? "";
      return String.fromCodePoint(Math.min(parseCodePoint(code ?? ""), 0x10_ff_ff));
    },
  );
}

function parseCodePoint(code: string): number {
  return /^x/i.test(code) ? Number.parseInt(code.slice(1), 16) : Number(code);
}

/** Yields the absolute addresses in a line, except those in code. */
function* findRemoteReferences(line: string): Generator<RemoteContent> {
  for (const { 0: address, index } of line.matchAll(addressPattern)) {
    const before = line.slice(Math.max(0, index - maxPrefixLength), index);
    const what = findPurpose(before, /^https?:/i.test(address));
    if (what !== undefined) yield { what, address };
  }
}

/** Returns the purpose of an address, or undefined if browsers do not use the address. */
function findPurpose(before: string, hasScheme: boolean): string | undefined {
  if (markdownDestinationStart.test(before)) return isPicture(before) ? remoteMedia : remoteLink;
  if (linkDefinitionStart.test(before)) return remoteLink;
  if (cssUrlStart.test(before)) return remoteMedia;
  const [, name] = attributeStart.exec(before) ?? [];
  if (name !== undefined) return findAttributePurpose(before, name);
  if (dataValueStart.test(before)) return remoteAddress;
  return hasScheme && bareAddressStart.test(before) ? remoteLink : undefined;
}

function findAttributePurpose(before: string, name: string): string | undefined {
  const tag = before.slice(Math.max(0, before.lastIndexOf("<")));
  if (activeElement.test(tag)) return undefined;
  if (mediaAttribute.test(name) || /^<image\b/i.test(tag)) return remoteMedia;
  return name.toLowerCase() === "href" ? remoteLink : remoteAddress;
}

/** Reports whether the bracket pair that ends here was opened by `![`. */
function isPicture(before: string): boolean {
  const end = before.lastIndexOf("]");
  for (let index = end, depth = 0; index >= 0; index--) {
    if (before[index] === "]") depth++;
    if (before[index] === "[" && --depth === 0) return before[index - 1] === "!";
  }
  return false;
}
