import type { Program } from "acorn";
import { limits } from "../core/index.ts";
import { readImports } from "./script/import-binding.ts";
import { restoreMarks } from "./marks.ts";
import { prepareSource, type PreparedSource } from "./prepare-source.ts";
import { ProblemList } from "./problem-list.ts";
import { walkNodes } from "./raw-node.ts";
import { parseModule } from "./script/script.ts";
import type { SourceFile } from "./source-file.ts";
import type { ImportLines } from "./stray-imports.ts";
import {
  parseMarkdown,
  parseMdx,
  parseStrictMdx,
  hasComponents,
  type ParsedText,
} from "./tolerant-parse.ts";

interface SourceText {
  readonly path: string;
  readonly format: "mdx" | "md" | "script";
  readonly source: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula; true by default. */
  readonly hasFormulas?: boolean | undefined;
}

/** Parses one file's text into nodes and modules. Reports a problem and returns undefined if it must not be parsed. */
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

/** Parses a Markdown file with components as MDX, if all of it is valid MDX. */
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

/** Merges ranges in the order of the text. */
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

const unpreparedSource: PreparedSource = { text: "", headingIds: new Map(), blanks: [] };

function toSourceFile(
  path: string,
  { text, nodes, strayImports = [] }: ParsedText,
  { modules, script }: FileScripts,
  prepared: PreparedSource,
): SourceFile {
  // A repair may shift offsets; the blanks then remain as white space.
  const isSame = text.length === prepared.text.length;
  const blanks = isSame ? mergeBlanks(prepared.blanks, strayImports) : [];
  const imports = readImports(modules, path);
  return { path, text, nodes, modules, script, imports, headingIds: prepared.headingIds, blanks };
}
