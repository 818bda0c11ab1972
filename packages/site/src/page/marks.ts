/**
 * The characters for which there are marks. A character that the Markdown parser must not read as syntax is replaced
 * with a mark, which is one of Unicode's 32 noncharacters (U+FDD0 to U+FDEF, reserved for internal use), and restored
 * in the tree. Each mark replaces one character, so offsets stay valid.
 */
const marked = "{}[]()<>'\"`/!~+-?:=*ei$_\\&|#^%";
const firstMark = 0xfdd0;
const anyMark = /[\uFDD0-\uFDEF]/;
const everyMark = /[\uFDD0-\uFDEF]/g;

const markOf = new Map<number, string>(
  Array.from(marked, (char, index) => [char.charCodeAt(0), String.fromCharCode(firstMark + index)]),
);

/** The mark for the dollars of a formula. It is not used for anything else. */
export const dollarMark = String.fromCharCode(firstMark + marked.indexOf("$"));

/** Restores the text that the author wrote. */
export function restoreMarks(text: string): string {
  if (!anyMark.test(text)) return text;
  return text.replace(everyMark, (mark) => marked[mark.charCodeAt(0) - firstMark] ?? "\uFFFD");
}

/** Marks the characters of `text` at `offsets`. Characters for which there is no mark do not change. */
export function markAt(text: string, offsets: Iterable<number>): string {
  const parts: string[] = [];
  let done = 0;
  for (const offset of Array.from(offsets).toSorted((a, b) => a - b)) {
    const mark = markOf.get(text.charCodeAt(offset));
    if (mark === undefined || offset < done) continue;
    parts.push(text.slice(done, offset), mark);
    done = offset + 1;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Marks each character of `text` in `regions` (start, end, start, end, ... in order), if there is a mark for it. */
export function markRegions(text: string, regions: readonly number[]): string {
  const parts: string[] = [];
  let done = 0;
  for (let index = 0; index < regions.length; index += 2) {
    const start = Math.max(regions[index] ?? 0, done);
    const end = regions[index + 1] ?? start;
    if (end <= start) continue;
    const marked = text
      .slice(start, end)
      .replace(markedSigns, (sign) => markOf.get(sign.charCodeAt(0)) ?? sign);
    parts.push(text.slice(done, start), marked);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Excludes letters, because the only letter that is ever marked is the first letter of an `import` or `export`. */
const markedSigns = /[{}[\]()<>'"`/!~+\-?:=*]/g;

const markedFormulaSigns = /[{}[\]()<>'"`/!~+\-?:=*_\\&|#^%]/g;

/** Marks a formula and its dollars, so that none of its characters are syntax for Markdown or MDX. */
export function markFormula(text: string, dollars: 0 | 1 | 2): string {
  const source = text.slice(dollars, text.length - dollars);
  const inner = source.replace(
    markedFormulaSigns,
    (sign) => markOf.get(sign.charCodeAt(0)) ?? sign,
  );
  const around = dollarMark.repeat(dollars);
  return around + inner + around;
}
