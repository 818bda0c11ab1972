import { isOctavoError } from "../core/index.ts";
import type { Problem } from "../core/index.ts";
import type { Footnote, TreeNode } from "./tree.ts";
import { compileComponents, type ComponentScript } from "./script/component-scripts.ts";
import { Expansion } from "./expansion.ts";
import { loadSources } from "./load-sources.ts";
import { parseSource } from "./parse-source.ts";
import { ProblemList } from "./problem-list.ts";

export interface ParseInput {
  /** The path relative to the site's folder. */
  readonly file: string;
  readonly format: "mdx" | "md";
  /** The content of the file, including frontmatter. */
  readonly source: string;
  /** The declared variables. Only their `{{name}}` is replaced, in text, code and attributes. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula. Defaults to true. */
  readonly hasFormulas?: boolean | undefined;
  /**
   * Reads a file of the site by its normalized path relative to the site's folder. Returns undefined if the file does
   * not exist. Must reject paths outside the folder and files that are too large.
   */
  readonly readFile: (path: string) => Promise<string | undefined>;
  /** Whether the format has a component of this name. */
  readonly isKnownComponent: (name: string) => boolean;
}

export interface ParsedPage {
  readonly tree: readonly TreeNode[];
  /** Definitions in source order, including those in snippets. */
  readonly footnotes: readonly Footnote[];
  /** The text for agents, which is the source without frontmatter, ESM and comments, and with snippets inlined. */
  readonly markdown: string;
  /** The scripts of the components that run in the reader's browser. */
  readonly scripts: readonly ComponentScript[];
  readonly problems: readonly Problem[];
  /**
   * The SHA-256 of each included file, by path; an empty string for a file that was looked up but does not exist, so
   * that the page is rendered again when the file is added.
   */
  readonly dependencies: Readonly<Record<string, string>>;
}

/**
 * Parses the source of a page into a resolved tree:
 * 1. prepare: handle characters, variables, formulas, heading ids and HTML comments;
 * 2. screen: reject text that would crash or stall the native parser (`screen.ts`);
 * 3. parse: read MDX, repairing invalid syntax, or Markdown, converting HTML to elements (`tolerant-parse.ts`);
 * 4. load: read the files that the page imports, directly or indirectly (`load-sources.ts`);
 * 5. expand: replace snippets, components and expressions with their content (`expansion.ts`);
 * 6. compile: create the scripts that hydrate components in the reader's browser (`component-scripts.ts`).
 *
 * Never throws for input that an author can write. A page that must not be parsed or exceeds the limits has an empty
 * tree and a problem of severity `error`.
 */
export async function parsePage(input: ParseInput): Promise<ParsedPage> {
  const {
    file,
    format,
    source,
    variables,
    hasFormulas,
    readFile,
    isKnownComponent: knownComponent,
  } = input;
  const problems = new ProblemList();
  const settings = { variables, hasFormulas };
  const page = parseSource({ path: file, format, source, ...settings }, problems);
  if (!page) return emptyPage(problems, {});
  const { files, dependencies } = await loadSources(page, { ...settings, readFile, problems });
  const expansion = new Expansion({ files, problems, isKnownComponent: knownComponent });
  try {
    const { nodes, markdown } = expansion.expandFile(page, new Map());
    const { liveFiles } = expansion;
    const options = { files, problems, isKnownComponent: knownComponent };
    return {
      scripts: await compileComponents(liveFiles, options),
      tree: nodes,
      footnotes: expansion.footnotes,
      markdown: `${markdown.trim()}\n`,
      problems: problems.toArray(),
      dependencies,
    };
  } catch (error) {
    if (!isOctavoError(error, "too_large")) throw error;
    problems.error("page_too_large", `${error.message} It was not rendered.`, {
      file,
      line: 1,
      column: 1,
    });
    return emptyPage(problems, dependencies);
  }
}

function emptyPage(
  problems: ProblemList,
  dependencies: Readonly<Record<string, string>>,
): ParsedPage {
  return {
    tree: [],
    footnotes: [],
    markdown: "",
    scripts: [],
    problems: problems.toArray(),
    dependencies,
  };
}
