import { limits } from "../core/index.ts";
import { readFenceLine, type OpenFence } from "../text/index.ts";
import { restoreMarks } from "./marks.ts";
import { walkNodes, getSpan, type RawNode } from "./raw-node.ts";
import { parseModule } from "./script/script.ts";

/** An import of one of the site's files. It occupies whole lines. */
export interface ImportLines {
  readonly start: number;
  readonly end: number;
  readonly statement: string;
}

/** Matches whole lines that contain only names, braces and `from` between `import` and the path. */
const importPattern =
  /[ \t]*import[ \t\n]([\w$*{}, \t\n]{1,500})(["'])([./][^"'\n]{1,500})\2[ \t]*;?[ \t]*(?=\n|$)/y;
const anyImport = /^[ \t]*import[ \t\n{*]/m;

/** Finds all imports of the site's files in `text`, except in fences. Most pages have no such imports. */
export function findImportLines(text: string): readonly ImportLines[] {
  if (!text.includes("import") || !anyImport.test(text)) return [];
  const found: ImportLines[] = [];
  let fence: OpenFence | undefined;
  let next = 0;
  for (const line of text.split("\n")) {
    const start = next;
    next += line.length + 1;
    const fenceLine = readFenceLine(line, fence);
    fence = fenceLine.open;
    if (fenceLine.isCode || start < (found.at(-1)?.end ?? 0)) continue;
    const lines = readImportLines(text, start);
    if (lines !== undefined && found.length < limits.snippets) found.push(lines);
  }
  return found;
}

function readImportLines(text: string, start: number): ImportLines | undefined {
  importPattern.lastIndex = start;
  const [whole, names = ""] = importPattern.exec(text) ?? [];
  if (whole === undefined || !/[\s}]from\s*$/.test(names)) return undefined;
  const statement = restoreMarks(whole.trim());
  if (parseModule(statement) === undefined) return undefined;
  return { start, end: start + whole.length, statement };
}

/**
 * Returns the imports that the parser read as text or as part of an element. MDX accepts imports only at the start of a
 * line, outside lists, followed by an empty line.
 */
export function findStrayImports(
  imports: readonly ImportLines[],
  nodes: readonly RawNode[],
): readonly ImportLines[] {
  const moduleSpans = nodes.filter(isModule).map(getSpan);
  const otherImports = imports.filter((lines) => !isWithin(lines, moduleSpans));
  if (otherImports.length === 0) return [];
  const textSpans: Span[] = [];
  for (const node of walkNodes(nodes)) {
    if (node.type === "paragraph" || (node.type === "mdxjsEsm" && !isModule(node))) {
      textSpans.push(getSpan(node));
    }
  }
  return otherImports.filter((lines) => isWithin(lines, textSpans));
}

/**
 * Returns the imports that cause the parser's error at `offset`. Between tags, the parser reads the braces of an import
 * as an expression. If the import spans lines, the parser reads the tag around it as unclosed.
 */
export function findBrokenImports(
  imports: readonly ImportLines[],
  offset: number,
): readonly ImportLines[] {
  return imports.filter(({ start, end, statement }) => {
    if (!statement.includes("{")) return false;
    const isAtError = offset >= start && offset < end;
    return isAtError || (statement.includes("\n") && offset < start);
  });
}

/** Replaces `imports` in `text` with spaces. */
export function blankOutImports(text: string, imports: readonly ImportLines[]): string {
  const parts: string[] = [];
  let cursor = 0;
  for (const { start, end } of imports) {
    parts.push(text.slice(cursor, start), text.slice(start, end).replaceAll(/[^\n]/g, " "));
    cursor = end;
  }
  return parts.join("") + text.slice(cursor);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function isModule(node: RawNode): boolean {
  return node.type === "mdxjsEsm" && isModuleOnly(restoreMarks(node.value ?? ""));
}

/** Uses binary search, because `spans` are in the order of the text and do not overlap. */
function isWithin({ start, end }: Span, spans: readonly Span[]): boolean {
  let [low, high] = [0, spans.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle] ?? { start: 0, end: 0 };
    if (span.end <= start) low = middle + 1;
    else if (span.start >= end) high = middle - 1;
    else return true;
  }
  return false;
}

/** Reports whether `script` is a module that contains only imports, exports and declarations. */
function isModuleOnly(script: string): boolean {
  const program = parseModule(script);
  return program !== undefined && program.body.every(({ type }) => type !== "ExpressionStatement");
}
