import type { Expectation } from "./expectation.ts";

interface Replacing {
  readonly inCode?: boolean;
  readonly min?: number;
  /** Every changed file is below this folder. */
  readonly within?: string;
  /** Pages that say what was may change. */
  readonly records?: boolean;
}

/**
 * Changed files differ by the new words for the old ones alone, with a capital at the beginning of sentences, outside
 * of code and addresses; an article goes with them, and the anchor of a heading.
 */
export function replaces(
  from: string,
  to: string,
  { inCode = false, min = 1, within = "", records = false }: Replacing = {},
): Expectation {
  return ({ refused, text, changes }) => {
    if (refused !== undefined) return `is refused: ${text}`;
    let places = 0;
    for (const { path, before, after } of changes) {
      if (before === null || after === null) return `${path} comes or goes`;
      const known = withAnchors(path, before, after);
      if (!known && !path.startsWith(within)) return `${path} is outside of ${within}`;
      if (!known && !records && isRecord(path)) return `${path} says what was`;
      const fault = faultIn(before, after, { from, to, inCode });
      if (fault !== undefined) return `${path}: ${fault}`;
      places += occurrences(after, to) - occurrences(before, to);
    }
    return places >= min ? undefined : `changes ${places} places, not ${min}`;
  };
}

const fences = /^[ \t]*(```+|~~~+)[^]*?^[ \t]*\1[ \t]*$/gm;
const opaque =
  /`[^`\n]*`|\]\([^)\n]*\)|\b(?:href|src|id|icon|path)=["'{][^"'}\n]*["'}]|https?:\/\/\S+/g;

/** Whether nothing but addresses with anchors changed: links to a heading of another page follow it. */
function withAnchors(path: string, before: string, after: string): boolean {
  return /\.mdx?$/.test(path) && withoutAnchors(before) === withoutAnchors(after);
}

function withoutAnchors(text: string): string {
  return text.replaceAll(/#[\w-]+/g, "#");
}

function faultIn(before: string, after: string, words: Words): string | undefined {
  if (!words.inCode && codeOf(before) !== codeOf(after)) return "code changes";
  const [old, now] = [plainText(before, words), plainText(after, words)];
  if (old !== now) return differenceOf(old, now);
  if (countOf(after, doubled) > countOf(before, doubled)) return "a word stands there twice";
  const verb = new RegExp(String.raw`\b(?:must|should|shall|can|may|will|cannot|would|could|might)\s+${words.to}\b`, "gi"); // prettier-ignore
  return countOf(after, verb) > countOf(before, verb) ? "a verb changes" : undefined;
}

interface Words {
  readonly from: string;
  readonly to: string;
  readonly inCode: boolean;
}

const doubled = /\b([\p{L}\p{N}]+)[ *_]+\1\b/giu;

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function codeOf(text: string): string {
  return [...(text.match(fences) ?? []), ...(text.match(/`[^`\n]+`/g) ?? [])].join("\n");
}

/** The text with the old words in place of the new ones, without what may change with them. */
function plainText(text: string, { from, to, inCode }: Words): string {
  const read = inCode ? text : text.replaceAll(opaque, (part) => part.replace(/#[\w-]+/, "#"));
  return read
    .replaceAll(patternOf(to), from)
    .replaceAll(patternOf(capitalize(to)), capitalize(from))
    .replaceAll(/\b([Aa])n?\b/g, "$1")
    .replaceAll(/\s+/g, " ");
}

function patternOf(words: string): RegExp {
  const parts = words.split(" ").map((part) => part.replaceAll(/[.*+?]/g, "\\$&"));
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}])${parts.join(String.raw`\s+`)}(?!\p{L}|\p{N})`,
    "gu",
  );
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function differenceOf(before: string, after: string): string {
  let at = 0;
  while (before[at] === after[at]) at += 1;
  return `${before.slice(Math.max(0, at - 40), at + 60)} → ${after.slice(Math.max(0, at - 40), at + 60)}`;
}

function occurrences(text: string, words: string): number {
  return text.match(new RegExp(patternOf(words).source, "giu"))?.length ?? 0;
}

function isRecord(path: string): boolean {
  return /change-?log|\/?updates\.mdx$|(?:^|\/)\d{4}-\d{2}|^v\d+\//i.test(path);
}
