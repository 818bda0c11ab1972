import { OctavoError } from "@octavo/site/core";

/** A range of lines of a text, as returned by a tool. */
interface TextPart {
  readonly text: string;
  readonly fromLine: number;
  readonly totalLines: number;
}

interface LineWindow {
  /** The first line, counted from 1. */
  readonly fromLine: number;
  readonly lines: number;
  /** The maximum length, in characters. */
  readonly maxLength: number;
}

/**
 * Returns as many whole lines of the range as fit in `maxLength`. Throws `invalid_input` if the range begins after the
 * end of the text.
 */
export function takeLines(
  path: string,
  text: string,
  { fromLine, lines, maxLength }: LineWindow,
): TextPart {
  const all = text.split(/(?<=\n)/);
  if (fromLine > Math.max(all.length, 1)) {
    throw new OctavoError("invalid_input", `${path} has only ${all.length} lines.`);
  }
  const part = firstLines(all.slice(fromLine - 1, fromLine - 1 + lines), maxLength);
  return { text: part, fromLine, totalLines: all.length };
}

/** Returns as many whole lines as fit in `maxLength`. If the first line is longer, returns its beginning. */
function firstLines(lines: readonly string[], maxLength: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length;
    if (length > maxLength) break;
    fitting.push(line);
  }
  if (fitting.length > 0 || lines.length === 0) return fitting.join("");
  return (lines[0] ?? "").slice(0, maxLength);
}

/** Returns the first items that fit in `maxLength` characters of JSON. */
export function takeFittingItems<T>(items: readonly T[], maxLength: number): readonly T[] {
  let length = 0;
  const end = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > maxLength);
  return end < 0 ? items : items.slice(0, end);
}
