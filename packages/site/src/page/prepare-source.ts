import { limits } from "../core/index.ts";
import { markFormulas } from "./formulas.ts";
import { restoreMarks } from "./marks.ts";
import type { ProblemList } from "./problem-list.ts";
import {
  createCodeSpanIndex,
  fillVariables,
  LineIndex,
  readFenceLine,
  readHeadingLine,
  type CodeSpanIndex,
  type OpenFence,
} from "../text/index.ts";

export interface PreparedSource {
  /** The prepared text. Its lines match the file, and so do columns, except after a replaced variable. */
  readonly text: string;
  /** Ids written as `## Title {#id}`, by 1-based line; replaced with spaces in `text`. */
  readonly headingIds: ReadonlyMap<number, string>;
  /** Ranges that were replaced with spaces, as start, end, start, end, ... */
  readonly blanks: readonly number[];
}

interface SourceOptions {
  readonly file: string;
  readonly format: "mdx" | "md";
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula; true by default. */
  readonly hasFormulas?: boolean | undefined;
}

/**
 * Prepares a page's text for the Markdown parser: replaces invalid characters and `{{variables}}`, marks formulas, and
 * removes heading ids (MDX would read both as expressions) and, in MDX, HTML comments. Removed text becomes spaces, so
 * that offsets stay valid.
 */
export function prepareSource(
  source: string,
  options: SourceOptions,
  problems: ProblemList,
): PreparedSource {
  const clean = replaceForbidden(source, options.file, problems);
  const filled = fillVariables(clean, options.variables, limits.pageBytes);
  const text = options.hasFormulas === false ? filled : markFormulas(filled);
  const hasComments = options.format === "mdx" && text.includes("<!--");
  if (!hasComments && !text.includes("{#")) return { text, headingIds: new Map(), blanks: [] };
  const lines = new ProseLines(text, options.file, problems);
  const blank = lines.blankOut(hasComments);
  return { text: blank, headingIds: lines.headingIds, blanks: lines.blanks };
}

/** NUL, noncharacters (used as marks), and the character to which a decoder converts bytes that are not UTF-8. */
const forbidden = /[\0\uFDD0-\uFDEF\uFFFD]/;
const everyForbidden = /[\0\uFDD0-\uFDEF]/g;

function replaceForbidden(source: string, file: string, problems: ProblemList): string {
  const first = source.search(forbidden);
  if (first === -1) return source;
  problems.warn(
    "invalid_character",
    "The file contains characters that are not text (NUL, or bytes that are not UTF-8), shown as \uFFFD; this is the first. Save the file as UTF-8.",
    new LineIndex(source).placeOf(file, first),
  );
  return source.replace(everyForbidden, "\uFFFD");
}

class ProseLines {
  readonly headingIds = new Map<number, string>();
  readonly #text: string;
  readonly #file: string;
  readonly #problems: ProblemList;
  readonly blanks: number[] = [];
  readonly #code: CodeSpanIndex;
  #inComment = false;
  #lineStart = 0;
  /** The end of the last code span, which may be on a later line. */
  #codeEnd = 0;

  constructor(text: string, file: string, problems: ProblemList) {
    this.#text = text;
    this.#file = file;
    this.#problems = problems;
    this.#code = createCodeSpanIndex(text);
  }

  blankOut(hasComments: boolean): string {
    const lines = this.#text.split("\n");
    // An unclosed comment is text; searching for its end from each opening would be quadratic.
    const lastEnd = hasComments ? lines.findLastIndex((line) => line.includes("-->")) : -1;
    let fence: OpenFence | undefined;
    let next = 0;
    for (const [index, line] of lines.entries()) {
      this.#lineStart = next;
      next += line.length + 1;
      if (!this.#inComment) {
        const read = readFenceLine(line, fence);
        fence = read.open;
        if (read.isCode) continue;
      }
      const prose = index <= lastEnd ? this.#blankComments(line, index + 1, index < lastEnd) : line;
      lines[index] = this.#blankHeadingId(prose, index + 1);
    }
    return lines.join("\n");
  }

  #blankHeadingId(line: string, number: number): string {
    const id = line.includes("{#") ? readHeadingLine(line)?.id : undefined;
    if (!id) return line;
    const { name, start, end } = id;
    this.headingIds.set(number, restoreMarks(name));
    this.blanks.push(this.#lineStart + start, this.#lineStart + end);
    return line.slice(0, start) + " ".repeat(end - start) + line.slice(end);
  }

  /** Replaces comments that end on this line, or on a later line if `canContinue`, with spaces. */
  #blankComments(line: string, number: number, canContinue: boolean): string {
    const lastEnd = line.lastIndexOf("-->");
    const parts: string[] = [];
    let done = 0;
    for (let at = Math.max(0, this.#codeEnd - this.#lineStart); at < line.length; at = done) {
      let start = at;
      if (!this.#inComment) {
        start = this.#findComment(line, at);
        if (start === -1 || (!canContinue && lastEnd < start)) break;
        const place = { file: this.#file, line: number, column: start + 1 };
        this.#problems.warn(
          "html_comment",
          "MDX has no HTML comments; write `{/* … */}` instead of `<!-- … -->`.",
          place,
        );
        this.#inComment = true;
        this.blanks.push(this.#lineStart + start);
      }
      const close = line.indexOf("-->", start);
      const end = close === -1 ? line.length : close + 3;
      this.#inComment = close === -1;
      if (close !== -1) this.blanks.push(this.#lineStart + end);
      parts.push(line.slice(done, start), " ".repeat(end - start));
      done = end;
    }
    parts.push(line.slice(done));
    return parts.join("");
  }

  /** Returns the index of the first comment in `line` at or after `from`, outside code; -1 if there is none. */
  #findComment(line: string, from: number): number {
    const signs = /\\[^]|`+|<!--/g;
    signs.lastIndex = from;
    for (let sign = signs.exec(line); sign; sign = signs.exec(line)) {
      if (sign[0] === "<!--") return sign.index;
      if (!sign[0].startsWith("`")) continue;
      const span = this.#code.at(this.#lineStart + sign.index);
      if (!span) continue;
      this.#codeEnd = span.end;
      signs.lastIndex = span.end - this.#lineStart;
    }
    return -1;
  }
}
