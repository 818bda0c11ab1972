import { pageAnchors } from "./anchors.ts";
import { pageBlocks } from "./page-blocks.ts";

/** Shorter lines are on many pages. */
const minCodeLetters = 6;
const minProseLetters = 30;

const inText: readonly RegExp[] = [
  /`[^`\n]{3,200}`/g,
  // Translations lead to pages of their own language, and bear ids that are looked for as places.
  /\b(?!href\b|id\b)[\w-]+=["'][^"'\s]{2,300}["']/g,
  /https?:\/\/[^\s)"'>\]}]+/g,
  /!\[[^\]]{0,300}\]\([^)\s]+/g,
];

/**
 * What translations of a page have in common: lines of code, names in backticks, addresses of other sites and of
 * pictures, values of attributes, places that links can name. With the lines of its text, what its versions have.
 */
export function pageMarks(text: string, withText: boolean): ReadonlySet<string> {
  const marks = new Set<string>();
  for (const { kind, start, end } of pageBlocks(text)) {
    const part = text.slice(start, end);
    const lines = part.split("\n").map((line) => line.trim());
    if (kind === "code")
      addAll(
        marks,
        lines.filter((line) => line.length >= minCodeLetters),
      );
    if (kind !== "text") continue;
    for (const form of inText) {
      for (const [mark] of part.matchAll(form)) marks.add(mark.replace(/^!\[.*\]/s, ""));
    }
    if (withText)
      addAll(
        marks,
        lines.filter((line) => line.length >= minProseLetters),
      );
  }
  for (const { id } of pageAnchors(text)) marks.add(`#${id}`);
  return marks;
}

function addAll(marks: Set<string>, more: Iterable<string>): void {
  for (const mark of more) marks.add(mark);
}
