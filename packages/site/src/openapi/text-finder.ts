import { LineIndex, type TextPlace } from "../text/index.ts";

/** Finds where a text is written in a file: the first place at or after `from`, else the first of all. */
export type FindText = (wanted: string, from: TextPlace | undefined) => TextPlace | undefined;

/** Of one file: each may read all of it. */
const maxSearches = 1_000;

export function createTextFinder(text: string): FindText {
  let lines: LineIndex | undefined;
  let left = maxSearches;
  const known = new Map<string, TextPlace | undefined>();

  function search(wanted: string, from: TextPlace | undefined): TextPlace | undefined {
    if (wanted === "" || left-- <= 0) return undefined;
    lines ??= new LineIndex(text);
    const start = from ? lines.offsetOf(from.line, from.column) : 0;
    const at = indexOfWhole(text, wanted, start) ?? indexOfWhole(text, wanted, 0);
    return at === undefined ? undefined : lines.placeAt(at);
  }

  return (wanted, from) => {
    const key = `${from?.line}:${from?.column} ${wanted}`;
    if (!known.has(key)) known.set(key, search(wanted, from));
    return known.get(key);
  };
}

/** `/a` is not found in `/a/b` or `/ab`. */
function indexOfWhole(text: string, wanted: string, from: number): number | undefined {
  for (let at = text.indexOf(wanted, from); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const [before = " ", after = " "] = [text[at - 1], text[at + wanted.length]];
    if (!/[\w./#%-]/.test(before) && !/[\w/#%?-]/.test(after)) return at;
  }
  return undefined;
}
