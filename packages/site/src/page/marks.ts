/**
 * The characters for which there are marks. A character that the Markdown parser must not read as syntax is replaced
 * with a mark, which is one of Unicode's 32 noncharacters (U+FDD0 to U+FDEF, reserved for internal use), and restored
 * in the tree. Each mark replaces one character, so offsets stay valid.
 */
const markedCharacters = "{}[]()<>'\"`/!~+-?:=*ei$_\\&|#^%";
const firstMarkCode = 0xfdd0;
const anyMark = /[\uFDD0-\uFDEF]/;
const everyMark = /[\uFDD0-\uFDEF]/g;

const marksByCode = new Map<number, string>(
  Array.from(markedCharacters, (char, index) => [
    char.charCodeAt(0),
    String.fromCharCode(firstMarkCode + index),
  ]),
);

/** The mark for the dollars of a formula. It is not used for anything else. */
export const dollarMark = String.fromCharCode(firstMarkCode + markedCharacters.indexOf("$"));

/** Restores the text that the author wrote. */
export function restoreMarks(text: string): string {
  if (!anyMark.test(text)) return text;
  return text.replace(
    everyMark,
    (mark) => markedCharacters[mark.charCodeAt(0) - firstMarkCode] ?? "\uFFFD",
  );
}

/** Marks the characters of `text` at `offsets`. Characters for which there is no mark do not change. */
export function markAt(text: string, offsets: Iterable<number>): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const offset of Array.from(offsets).toSorted((a, b) => a - b)) {
    const mark = marksByCode.get(text.charCodeAt(offset));
    if (mark === undefined || offset < cursor) continue;
    parts.push(text.slice(cursor, offset), mark);
    cursor = offset + 1;
  }
  parts.push(text.slice(cursor));
  return parts.join("");
}

/** Marks each character of `text` in `regions` (start, end, start, end, ... in order), if there is a mark for it. */
export function markRegions(text: string, regions: readonly number[]): string {
  const parts: string[] = [];
  let cursor = 0;
  for (let index = 0; index < regions.length; index += 2) {
    const start = Math.max(regions[index] ?? 0, cursor);
    const end = regions[index + 1] ?? start;
    if (end <= start) continue;
    const markedText = text
      .slice(start, end)
      .replace(markedSigns, (sign) => marksByCode.get(sign.charCodeAt(0)) ?? sign);
    parts.push(text.slice(cursor, start), markedText);
    cursor = end;
  }
  parts.push(text.slice(cursor));
  return parts.join("");
}

/** Excludes letters, because the only letter that is ever marked is the first letter of an `import` or `export`. */
const markedSigns = /[{}[\]()<>'"`/!~+\-?:=*]/g;

const markedFormulaSigns = /[{}[\]()<>'"`/!~+\-?:=*_\\&|#^%]/g;

/** Marks a formula and its dollars, so that none of its characters are syntax for Markdown or MDX. */
export function markFormula(text: string, dollarCount: 0 | 1 | 2): string {
  const source = text.slice(dollarCount, text.length - dollarCount);
  const inner = source.replace(
    markedFormulaSigns,
    (sign) => marksByCode.get(sign.charCodeAt(0)) ?? sign,
  );
  const delimiter = dollarMark.repeat(dollarCount);
  return delimiter + inner + delimiter;
}
