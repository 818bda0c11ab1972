import { isOctavoError } from "@octavo/site/core";
import { truncate } from "../inert-text.ts";
import type { SourceReader } from "../../git/index.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import type { Citation } from "./citation.ts";

export interface ResolvedCitations {
  /** Verified citations without duplicates, in order. */
  readonly citations: readonly Citation[];
  /** One sentence for each citation that is not correct, for the model and for people. */
  readonly faults: readonly string[];
}

const maxCitations = 200;
const maxLines = 20;
const maxWords = 500;
const shownLine = 160;
/** Quotations without a letter or digit would be found in every file. */
const meaningful = /[\p{L}\p{N}]/u;

/** A citation as the model wrote it, before it is looked up. */
interface WrittenCitation {
  /** As a reader of the text sees it, for messages. */
  readonly text: string;
  /** The text before the `@`. */
  readonly source: string;
  /** Undefined if the text after the `@` is not a location. */
  readonly place?: CitedLocation;
  /** Undefined if no words in quotation marks follow. */
  readonly words?: string;
}

interface CitedLocation {
  /** As written, possibly abbreviated, in lowercase. */
  readonly commit: string;
  readonly path: string;
  readonly line: number;
  readonly endLine: number;
}

/** A name and the text after its `@`, up to a space or quotation mark; punctuation may be escaped as in Markdown. */
const candidate =
  /(?<![\w./-]|[\w./-]\\)((?:[\w./-]|\\[_.-])+)(?:\\?@|&#64;|&#x40;|&commat;)([^\s`"“”]+)/gi;
const locationPattern = /^([0-9a-f]{7,64}):(.+):(\d{1,8})(?:-(\d{1,8}))?$/i;
/** Punctuation of the sentence or of Markdown after a location. */
const trailing = /[.,;:!?)\]*_>\\]+$/;
/** The words after a location: in quotation marks, or as code if they contain such marks themselves. */
const wordsForm = /^[`)\]*_\\]*\s*[:,—–-]?\s*\(?(?:"([^"\n]+)"|“([^”\n]+)”|(`+)([^\n]+?)\3)/;
const maxWindow = 2_000;

/**
 * Looks up the citations in a model's answer: the source, commit, file and lines must exist, and the lines must contain
 * the quoted words as whole words. Throws `cancelled`.
 */
export async function resolveCitations(
  text: string,
  sources: readonly OpenedSource[],
  signal: AbortSignal,
): Promise<ResolvedCitations> {
  const byName = new Map(
    sources.flatMap((source) => listSourceNames(source).map((name) => [name, source])),
  );
  const find = (name: string) => byName.get(name.replace(/^\/+/, ""));
  const written = findCitations(text, (name) => find(name) !== undefined);
  const citations = new Map<string, Citation>();
  const faults = new Set<string>();
  const readText = cachedTexts(signal);
  for (const one of written.slice(0, maxCitations)) {
    const found = await findCitation(one, find(one.source), readText);
    if (typeof found === "string") faults.add(`${one.text}: ${found}`);
    else citations.set(JSON.stringify(found), found);
  }
  if (written.length > maxCitations) faults.add(`More than ${maxCitations} citations; cite fewer.`);
  return { citations: [...citations.values()], faults: [...faults] };
}

/** A source can also be cited by its address. */
function listSourceNames({ name, repository }: OpenedSource): readonly string[] {
  const address = repository.replace(/^[a-z]+:\/+/i, "").replace(/\/+$/, "");
  return [address, address.replace(/\.git$/, ""), name];
}

type ReadText = (reader: SourceReader, commit: string, path: string) => Promise<string>;

function cachedTexts(signal: AbortSignal): ReadText {
  let last: { readonly key: string; readonly text: string } | undefined;
  return async (reader, commit, path) => {
    const key = `${commit}:${path}`;
    if (last?.key !== key) last = { key, text: await reader.readText(commit, path, signal) };
    return last.text;
  };
}

/** The citation, or a sentence that explains what is wrong with it. */
async function findCitation(
  { place, words }: WrittenCitation,
  source: OpenedSource | undefined,
  readText: ReadText,
): Promise<Citation | string> {
  if (!source) return "there is no such source.";
  if (!place) return "write it as name@commit:path:line, with the commit in hexadecimal digits.";
  const { name, repository, reader } = source;
  if (typeof reader === "string") return `the source cannot be read: ${reader}`;
  const fault = faultOf(place, words);
  if (fault !== undefined || words === undefined) return fault ?? "";
  try {
    const commit = await findCommit(reader, place);
    if (commit === undefined) return `the source has no commit ${place.commit}.`;
    const { path, line, endLine } = place;
    const missing = faultOfWords(await readText(reader, commit, path), place, words);
    return missing ?? { source: name, repository, commit, path, line, endLine, words };
  } catch (error) {
    if (!isOctavoError(error) || error.code === "cancelled") throw error;
    return error.message;
  }
}

function faultOf({ line, endLine }: CitedLocation, words: string | undefined): string | undefined {
  if (words === undefined) return 'the words of that line must follow, as in "--max-depth".';
  if (words.length > maxWords || !meaningful.test(words)) {
    return `quote words of the line, at most ${maxWords} characters.`;
  }
  if (line < 1 || endLine < line || endLine - line >= maxLines) {
    return `name 1 to ${maxLines} lines.`;
  }
  return undefined;
}

/** Undefined if the digits name a branch or tag instead. */
async function findCommit(
  reader: SourceReader,
  { commit }: CitedLocation,
): Promise<string | undefined> {
  if (reader.at.commit.startsWith(commit)) return reader.at.commit;
  try {
    const found = await reader.resolve(commit);
    return found.commit.startsWith(commit) ? found.commit : undefined;
  } catch (error) {
    if (isOctavoError(error, "ref_not_found")) return undefined;
    throw error;
  }
}

function faultOfWords(
  text: string,
  { line, endLine }: CitedLocation,
  words: string,
): string | undefined {
  const lines = text.split("\n");
  const count = text.endsWith("\n") ? lines.length - 1 : lines.length;
  if (endLine > count) return `the file has only ${count} lines.`;
  if (standsIn(lines.slice(line - 1, endLine).join("\n"), words)) return undefined;
  const elsewhere = lines.findIndex((one) => standsIn(one, words));
  if (elsewhere >= 0) return `the words are not there, but in line ${elsewhere + 1}.`;
  const there = JSON.stringify(truncate(lines[line - 1]?.trim() ?? "", shownLine));
  return `the words ${JSON.stringify(truncate(words, shownLine))} are not there. Line ${line} is: ${there}`;
}

/** Matches whole words and ignores differences in whitespace. */
function standsIn(text: string, words: string): boolean {
  const [all, wanted] = [text, words].map((one) => one.replaceAll(/\s+/g, " ")) as [string, string];
  for (let at = all.indexOf(wanted); at >= 0; at = all.indexOf(wanted, at + 1)) {
    const before = all.slice(Math.max(0, at - 1), at + 1);
    const after = all.slice(at + wanted.length - 1, at + wanted.length + 1);
    if (!isInsideWord(before) && !isInsideWord(after)) return true;
  }
  return false;
}

/** Reports whether both of two characters belong to one word. */
function isInsideWord(pair: string): boolean {
  return /^[\p{L}\p{N}_]{2}$/u.test(pair);
}

/**
 * Finds the citations in a text. `isSource` recognizes the names of sources, for which a citation may be malformed.
 * With any other name, only a commit, path and line make a citation: `engine@2.0` is a version.
 */
function findCitations(
  text: string,
  isSource: (name: string) => boolean,
): readonly WrittenCitation[] {
  const found: WrittenCitation[] = [];
  for (const match of text.matchAll(candidate)) {
    const [whole, rawName = "", rawAfter = ""] = match;
    const raw = rawAfter.replace(trailing, "");
    const [name, written] = [withoutEscapes(rawName), withoutEscapes(raw)];
    const place = parseLocation(written);
    const hasPath = /^[^:]+:[^:]/.test(written);
    if (!place && !(hasPath && isSource(name))) continue;
    const end = match.index + whole.length - rawAfter.length + raw.length;
    const words = readWords(text.slice(end, end + maxWindow));
    found.push({
      text: `${name}@${written}`,
      source: name,
      ...(place && { place }),
      ...(words !== undefined && { words }),
    });
  }
  return found;
}

/** Removes the backslashes that Markdown does not show. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, "$1");
}

function parseLocation(written: string): CitedLocation | undefined {
  const [, commit, path, first, last] = locationPattern.exec(written) ?? [];
  if (commit === undefined || path === undefined || first === undefined) return undefined;
  const line = Number(first);
  return { commit: commit.toLowerCase(), path, line, endLine: Number(last ?? first) };
}

function readWords(text: string): string | undefined {
  const [, straight, curly, , code] = wordsForm.exec(text) ?? [];
  return (straight ?? curly ?? code)?.trim();
}
