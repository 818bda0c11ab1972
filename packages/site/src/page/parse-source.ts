import type { Program } from "acorn";
import { limits } from "../core/index.ts";
import {
  LineIndex,
  createCodeSpanIndex,
  fillVariables,
  readFenceLine,
  readHeadingLine,
  type CodeSpanIndex,
  type OpenFence,
} from "../text/index.ts";
import { ProblemList } from "./problem-list.ts";
import { walkNodes } from "./raw-node.ts";
import { parseModule } from "./script/script.ts";
import { readImports } from "./source-file.ts";
import type { SourceFile } from "./source-file.ts";
import type { ImportLines } from "./stray-imports.ts";
import {
  hasComponents,
  parseMarkdown,
  parseMdx,
  parseStrictMdx,
  type ParsedText,
} from "./tolerant-parse.ts";
import { markFormulas } from "./formulas.ts";
import { restoreMarks } from "./marks.ts";

interface SourceText {
  readonly path: string;
  readonly format: "mdx" | "md" | "script";
  readonly source: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula. Defaults to true. */
  readonly hasFormulas?: boolean | undefined;
}

/**
 * Parses one file's text into nodes and modules. Reports a problem and returns undefined if the text must not be
 * parsed.
 */
export function parseSource(input: SourceText, problems: ProblemList): SourceFile | undefined {
  const source = normalizeLines(input.source);
  const start = { file: input.path, line: 1, column: 1 };
  if (source.length > limits.pageBytes) {
    const message = `The file is larger than ${limits.pageBytes} bytes and was not read; split it.`;
    problems.error("page_too_large", message, start);
    return undefined;
  }
  if (input.format === "script") {
    const module = parseModule(source);
    if (!module) problems.warn("invalid_script", "This file is not JavaScript with JSX.", start);
    const modules = module ? [module] : [];
    const scripts = { modules, script: module ? source : "" };
    return toSourceFile(input.path, { text: source, nodes: [] }, scripts, unpreparedSource);
  }
  reportLateFences(source, input.path, problems);
  const prepared = prepareSource(
    source,
    { ...input, format: input.format, file: input.path },
    problems,
  );
  const parsed =
    input.format === "mdx"
      ? parseMdx(prepared.text, input.path, problems)
      : (parseComponents(source, input) ?? parseMarkdown(prepared.text, input.path, problems));
  if (!parsed) return undefined;
  return toSourceFile(input.path, parsed, readModules(parsed), prepared);
}

/** Matches the end of a line of code that ends with a fence. */
const lateFence = /[^`~\s][ \t]*(`{3,}|~{3,})[ \t]*$/;

/**
 * Reports code blocks whose closing fence is at the end of a line of code. A closing fence must be on its own line, so
 * the block continues up to the fence that should open the next block. Three backticks at the end of a line may also be
 * code. They are reported only if the later fences are paired correctly when these backticks count as a closing fence.
 */
function reportLateFences(source: string, file: string, problems: ProblemList): void {
  if (!hasLateFence(source)) return;
  let state: FenceState = { open: undefined, indent: 0, hasLeftContainer: false };
  let latePosition: { readonly line: number; readonly column: number } | undefined;
  const report = (end: string) => {
    if (latePosition === undefined) return;
    const message = `The code block does not end here but ${end}, because its closing fence is not on a line of its own; the text up to there is shown as code. Move the fence to the next line.`;
    problems.warn("fence_not_closed", message, { file, ...latePosition });
    latePosition = undefined;
  };
  for (const [index, line] of source.split("\n").entries()) {
    const { open } = state;
    state = readFence(line, state);
    if (state.hasLeftContainer) report("with the list item or quote around it");
    if (open && state.open === open) {
      const column = findLateFence(line, open);
      if (column !== undefined) latePosition ??= { line: index + 1, column };
      else if (isOpening(line, open)) report(`where line ${index + 1} opens the next one`);
    } else if (state.open && /^\w/.test(state.open.info)) {
      // A fence with a language, outside other blocks, shows that the fences before it are paired correctly.
      latePosition = undefined;
    }
  }
  if (state.open) report("with the file");
}

interface FenceState {
  readonly open: OpenFence | undefined;
  /** The content indentation of the enclosing list item; 0 outside lists. */
  readonly indent: number;
  /** Whether the line ended a block by leaving the list item or quote in which it opened. */
  readonly hasLeftContainer: boolean;
}

/** Reads a line like `readFenceLine`, and tracks which list item contains a fence on its own line. */
function readFence(line: string, { open, indent }: FenceState): FenceState {
  const itemIndent = open ? indent : findItemIndent(line, indent);
  const fenceLine = readFenceLine(line, open);
  if (fenceLine.open === open) return { open, indent: itemIndent, hasLeftContainer: false };
  const hasLeftContainer =
    open !== undefined && (fenceLine.open !== undefined || !fenceLine.isCode);
  const isInItem = fenceLine.open && measureIndent(line) >= itemIndent;
  const openFence = isInItem
    ? { ...fenceLine.open, indent: Math.max(fenceLine.open.indent, itemIndent) }
    : fenceLine.open;
  return { open: openFence, indent: itemIndent, hasLeftContainer };
}

/** Returns the content indentation of the list item that a line begins or continues; 0 outside lists. */
function findItemIndent(line: string, indent: number): number {
  const [marker] = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+/.exec(line) ?? [];
  if (marker !== undefined) return marker.length;
  return line.trim() === "" || measureIndent(line) >= indent ? indent : 0;
}

function measureIndent(line: string): number {
  return line.length - line.trimStart().length;
}

/**
 * Reports whether any line ends but does not begin with a fence. This check is much faster than trying a pattern at
 * each position.
 */
function hasLateFence(source: string): boolean {
  return ["```", "~~~"].some((mark) => {
    for (let at = source.indexOf(mark); at !== -1;) {
      const start = source.lastIndexOf("\n", at) + 1;
      const end = source.indexOf("\n", at);
      const line = source.slice(start, end === -1 ? undefined : end);
      if (lateFence.test(line)) return true;
      at = end === -1 ? -1 : source.indexOf(mark, end);
    }
    return false;
  });
}

/** Returns the column of a line's only fence if the fence is at the end of the line and would close the block. */
function findLateFence(line: string, { char, length }: OpenFence): number | undefined {
  const fence = lateFence.exec(line)?.[1] ?? "";
  if (!fence.startsWith(char) || fence.length < length) return undefined;
  const at = line.lastIndexOf(fence);
  return line.indexOf(char.repeat(3)) === at ? at + 1 : undefined;
}

/** Reports whether a line within a block would open a block with a language. */
function isOpening(line: string, { char, length }: OpenFence): boolean {
  const { open } = readFenceLine(line, undefined);
  return open?.char === char && open.length >= length && /^\w/.test(open.info);
}

/** Parses a Markdown file with components as MDX. Returns undefined unless all of it is valid MDX. */
function parseComponents(source: string, input: SourceText): ParsedText | undefined {
  if (!hasComponents(source)) return undefined;
  const options = { ...input, file: input.path, format: "mdx" } as const;
  return parseStrictMdx(prepareSource(source, options, new ProblemList()).text);
}

function normalizeLines(source: string): string {
  const text = source.charCodeAt(0) === 0xfeff ? source.slice(1) : source;
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

interface FileScripts {
  readonly modules: readonly Program[];
  readonly script: string;
}

function readModules({ text, nodes, strayImports = [] }: ParsedText): FileScripts {
  if (strayImports.length === 0 && !/^(?:import|export)/m.test(text)) {
    return { modules: [], script: "" };
  }
  const blocks = [...walkNodes(nodes)].filter((node) => node.type === "mdxjsEsm");
  const scripts = [
    ...strayImports.map(({ statement }) => statement),
    ...blocks.map(({ value = "" }) => restoreMarks(value)),
  ];
  const parsed = scripts.map((script) => ({ script, module: parseModule(script) }));
  return {
    modules: parsed.flatMap(({ module }) => module ?? []),
    script: parsed.flatMap(({ script, module }) => (module ? script : [])).join("\n"),
  };
}

/** Merges `blanks` with the ranges of `imports`, in text order. */
function mergeBlanks(
  blanks: readonly number[],
  imports: readonly ImportLines[],
): readonly number[] {
  if (imports.length === 0) return blanks;
  const ranges = imports.map(({ start, end }) => [start, end] as const);
  for (let index = 0; index < blanks.length; index += 2) {
    ranges.push([blanks[index] ?? 0, blanks[index + 1] ?? 0]);
  }
  return ranges.toSorted(([a], [b]) => a - b).flat();
}

const unpreparedSource: PreparedSource = { text: "", headingIds: new Map(), blankedRanges: [] };

function toSourceFile(
  path: string,
  { text, nodes, strayImports = [] }: ParsedText,
  { modules, script }: FileScripts,
  prepared: PreparedSource,
): SourceFile {
  // A repair may shift offsets. In that case, the blanks are not removed and remain as white space.
  const hasSameLength = text.length === prepared.text.length;
  const blankedRanges = hasSameLength ? mergeBlanks(prepared.blankedRanges, strayImports) : [];
  const imports = readImports(modules, path);
  return {
    path,
    text,
    nodes,
    modules,
    script,
    imports,
    headingIds: prepared.headingIds,
    blankedRanges,
  };
}

interface PreparedSource {
  /** The prepared text. Its lines match the file. Its columns also match, except after a replaced variable. */
  readonly text: string;
  /** The ids in headings such as `## Title {#id}`, by 1-based line. In `text`, they are replaced with spaces. */
  readonly headingIds: ReadonlyMap<number, string>;
  /** Ranges that were replaced with spaces, as start, end, start, end, ... */
  readonly blankedRanges: readonly number[];
}

interface SourceOptions {
  readonly file: string;
  readonly format: "mdx" | "md";
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula. Defaults to true. */
  readonly hasFormulas?: boolean | undefined;
}

/**
 * Prepares a page's text for the Markdown parser: replaces invalid characters and `{{variables}}`, and marks formulas.
 * Removes heading ids, which MDX would read as expressions, and, in MDX, HTML comments. Removed text becomes spaces, so
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
  if (!hasComments && !text.includes("{#"))
    return { text, headingIds: new Map(), blankedRanges: [] };
  const lines = new ProseLines(text, options.file, problems);
  const blankedText = lines.blankOut(hasComments);
  return { text: blankedText, headingIds: lines.headingIds, blankedRanges: lines.blanks };
}

/** Matches NUL, and the noncharacters that serve as marks and that replace bytes which are not valid UTF-8. */
const forbidden = /[\0\uFDD0-\uFDEF]/;
const everyForbidden = /[\0\uFDD0-\uFDEF]/g;

function replaceForbidden(source: string, file: string, problems: ProblemList): string {
  const first = source.search(forbidden);
  if (first === -1) return source;
  problems.warn(
    "invalid_character",
    "The file contains characters that are not text (NUL, or bytes that are not UTF-8), shown as \uFFFD; this is the first. Save the file as UTF-8.",
    new LineIndex(source).locationAt(file, first),
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
    // An unclosed comment is text. Searching for its end from each opening would take quadratic time.
    const lastEnd = hasComments ? lines.findLastIndex((line) => line.includes("-->")) : -1;
    let fence: OpenFence | undefined;
    let nextStart = 0;
    for (const [index, line] of lines.entries()) {
      this.#lineStart = nextStart;
      nextStart += line.length + 1;
      if (!this.#inComment) {
        const fenceLine = readFenceLine(line, fence);
        fence = fenceLine.open;
        if (fenceLine.isCode) continue;
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

  /** Replaces comments with spaces if they end on this line or, with `canContinue`, on a later line. */
  #blankComments(line: string, number: number, canContinue: boolean): string {
    const lastEnd = line.lastIndexOf("-->");
    const parts: string[] = [];
    let cursor = 0;
    for (
      let from = Math.max(0, this.#codeEnd - this.#lineStart);
      from < line.length;
      from = cursor
    ) {
      let start = from;
      if (!this.#inComment) {
        start = this.#findComment(line, from);
        if (start === -1 || (!canContinue && lastEnd < start)) break;
        const position = { file: this.#file, line: number, column: start + 1 };
        this.#problems.warn(
          "html_comment",
          "MDX has no HTML comments; write `{/* … */}` instead of `<!-- … -->`.",
          position,
        );
        this.#inComment = true;
        this.blanks.push(this.#lineStart + start);
      }
      const close = line.indexOf("-->", start);
      const end = close === -1 ? line.length : close + 3;
      this.#inComment = close === -1;
      if (close !== -1) this.blanks.push(this.#lineStart + end);
      parts.push(line.slice(cursor, start), " ".repeat(end - start));
      cursor = end;
    }
    parts.push(line.slice(cursor));
    return parts.join("");
  }

  /**
   * Returns the index of the first comment in `line` at or after `from`, outside code, or -1 if there is no such
   * comment.
   */
  #findComment(line: string, from: number): number {
    const signs = /\\[^]|`+|<!--/g;
    signs.lastIndex = from;
    for (let sign = signs.exec(line); sign; sign = signs.exec(line)) {
      if (sign[0] === "<!--") return sign.index;
      if (!sign[0].startsWith("`")) continue;
      const span = this.#code.findAt(this.#lineStart + sign.index);
      if (!span) continue;
      this.#codeEnd = span.end;
      signs.lastIndex = span.end - this.#lineStart;
    }
    return -1;
  }
}
