import { isOctavoError } from "@octavo/site/core";
import { frontmatterBlock } from "@octavo/site/text";
import { pathPattern } from "../search/path-pattern.ts";

/** What the head of a Cursor or Copilot rule says about the files it is for. */
export interface RuleScope {
  /** Patterns of paths; empty if the head names none. */
  readonly globs: readonly string[];
  /** The rule without its head. */
  readonly body: string;
}

const maxGlobs = 20;
/** Of the value, in characters. */
const maxGlobsLength = 4_000;
const everyFile: ReadonlySet<string> = new Set(["*", "**", "**/*"]);

/**
 * Reads `globs` (Cursor) and `applyTo` (Copilot), as one value with commas or as a list. Not as YAML:
 * `globs: *.mdx`, as Cursor writes it, is none.
 */
export function readRuleScope(text: string): RuleScope {
  const block = frontmatterBlock(text);
  if (!block || block === "unclosed") return { globs: [], body: text.trim() };
  const [, inline = "", list = ""] =
    /^(?:globs|applyTo):[ \t]*(.*)((?:\r?\n[ \t]+-[ \t].*|\r?\n-[ \t].*)*)/m.exec(block.text) ?? [];
  const items = [inline.replace(/^\[(.*)\]\s*$/, "$1"), ...list.split(/\r?\n\s*-\s/)];
  const globs = items.flatMap(splitGlobs).slice(0, maxGlobs);
  return { globs, body: text.slice(block.bodyStart).trim() };
}

/** Splits at commas that are not in braces; each looks ahead, so that the time grows with the square of the length. */
function splitGlobs(text: string): string[] {
  const globs = text.slice(0, maxGlobsLength).split(/,(?![^{}]*\})/);
  return globs
    .map((glob) => glob.trim().replaceAll(/^["']|["']$/g, ""))
    .filter((glob) => glob !== "");
}

/** Whether one of the patterns matches one of the files; patterns of every file, and of forms that are not understood, do not. */
export function matchesSome(globs: readonly string[], files: readonly string[]): boolean {
  return globs.some((glob) => !everyFile.has(glob) && matchesOne(glob, files));
}

function matchesOne(glob: string, files: readonly string[]): boolean {
  try {
    return files.some(pathPattern(glob));
  } catch (error) {
    if (isOctavoError(error)) return false;
    throw error;
  }
}
