import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Problem } from "@octavo/site/core";

const indent = "    ";
/** The maximum number of characters of a line that are shown, and how many of them stand before the position. */
const maxLength = 100;
const maxBefore = 60;
/** Characters that take two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/gu;

/**
 * Creates a function that returns the line of a problem with a caret below its position, or no lines if the file has no
 * such position. It keeps the last file that it read.
 */
export function createExcerptReader(siteDir: string): (problem: Problem) => readonly string[] {
  let last: { readonly file: string; readonly lines: readonly string[] } | undefined;
  return ({ file, line, column }) => {
    if (line === undefined || column === undefined) return [];
    if (last?.file !== file) last = { file, lines: readLines(join(siteDir, file)) };
    const text = last.lines[line - 1];
    return text === undefined || text.trim() === "" ? [] : formatExcerpt(text, column - 1);
  };
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "utf8").split(/\r\n?|\n/);
  } catch {
    // The message names the file, which may be the very one that cannot be read.
    return [];
  }
}

function formatExcerpt(line: string, position: number): readonly string[] {
  const start = position > maxBefore ? position - maxBefore : 0;
  const head = start > 0 ? "…" : "";
  const before = head + flatten(line.slice(start, position));
  const rest = line.slice(position, start + maxLength);
  const tail = start + maxLength < line.length ? "…" : "";
  const trimmed = before.trimStart();
  const columns = trimmed.length + (trimmed.match(wide)?.length ?? 0);
  return [
    `${indent}${trimmed}${flatten(rest).trimEnd()}${tail}`,
    `${indent}${" ".repeat(columns)}^`,
  ];
}

/** Replaces each control character, tabs included, by one space, so that the columns stay. */
function flatten(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, " ");
}
