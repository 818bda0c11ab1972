import { isOctavoError, sha256, limits } from "../core/index.ts";
import type { Problem } from "../core/index.ts";
import type { Footnote, TreeNode } from "./tree.ts";
import { compileComponents, type ComponentScript } from "./script/component-scripts.ts";
import { Expansion } from "./expansion.ts";
import { parseSource } from "./parse-source.ts";
import { ProblemList } from "./problem-list.ts";
import { walkNodes } from "./raw-node.ts";
import { UnreadFile, listSnippetCandidates, findSnippetFile } from "./source-file.ts";
import type { IncludedFiles, SourceFile } from "./source-file.ts";

export interface ParseInput {
  /** The path relative to the site's folder. */
  readonly file: string;
  readonly format: "mdx" | "md";
  /** The content of the file, including frontmatter. */
  readonly source: string;
  /** The declared variables. Only their `{{name}}` placeholders are replaced, in text, code and attributes. */
  readonly variables: Readonly<Record<string, string>>;
  /** Whether `$x$` is a formula. Defaults to true. */
  readonly hasFormulas?: boolean | undefined;
  /**
   * Reads a file of the site by its normalized path relative to the site's folder. Returns undefined if the file does
   * not exist. Must reject paths outside the folder and files that are too large.
   */
  readonly readFile: (path: string) => Promise<string | undefined>;
  /** Reports whether the format has a component with this name. */
  readonly isKnownComponent: (name: string) => boolean;
}

export interface ParsedPage {
  readonly tree: readonly TreeNode[];
  /** The footnotes' definitions in source order, including definitions in snippets. */
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
 * 4. load: read the files that the page imports, directly or indirectly (`loadSources`);
 * 5. expand: replace snippets, components and expressions with their content (`expansion.ts`);
 * 6. compile: create the scripts that hydrate components in the reader's browser (`component-scripts.ts`).
 *
 * Never throws for input that an author can write. A page that must not be parsed or exceeds the limits has an empty
 * tree and a problem of severity `error`.
 */
export async function parsePage(input: ParseInput): Promise<ParsedPage> {
  const { file, format, source, variables, hasFormulas, readFile, isKnownComponent } = input;
  const problems = new ProblemList();
  const settings = { variables, hasFormulas };
  const page = parseSource({ path: file, format, source, ...settings }, problems);
  if (!page) return createEmptyPage(problems, {});
  const { files, dependencies } = await loadSources(page, { ...settings, readFile, problems });
  const expansion = new Expansion({ files, problems, isKnownComponent });
  try {
    const { nodes, markdown } = expansion.expandFile(page, new Map());
    const { liveFiles } = expansion;
    const options = { files, problems, isKnownComponent };
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
    return createEmptyPage(problems, dependencies);
  }
}

function createEmptyPage(
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

/** The maximum number of files to look up. An import can refer to one of five paths. */
const maxLookups = 5 * limits.snippets;

interface LoadOptions {
  readonly variables: Readonly<Record<string, string>>;
  readonly hasFormulas?: boolean | undefined;
  /** Returns undefined for a missing file. Rejects with the reason if a file cannot be read. */
  readonly readFile: (path: string) => Promise<string | undefined>;
  readonly problems: ProblemList;
}

interface LoadedSources {
  readonly files: IncludedFiles;
  /** The SHA-256 of each file's text, by path; an empty string for a file that was looked up but does not exist. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Reads and parses, once each, all files that `page` imports directly or indirectly. */
async function loadSources(page: SourceFile, options: LoadOptions): Promise<LoadedSources> {
  const loader = new Loader(options);
  await loader.load(page);
  return { files: loader.files, dependencies: Object.fromEntries(loader.hashes) };
}

class Loader {
  readonly files = new Map<string, SourceFile | UnreadFile>();
  readonly hashes = new Map<string, string>();
  readonly #options: LoadOptions;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  async load(page: SourceFile): Promise<void> {
    this.files.set(page.path, page);
    // The loop appends the files that it loads.
    const pending = [page];
    for (const file of pending) {
      for (const candidates of listReferences(file)) {
        const loaded = await this.#loadFirst(candidates, page);
        if (loaded) pending.push(loaded);
      }
    }
  }

  /**
   * Loads the first of `candidates` that exists. Returns undefined if no candidate exists or the file is already
   * loaded.
   */
  async #loadFirst(
    candidates: readonly string[],
    page: SourceFile,
  ): Promise<SourceFile | undefined> {
    for (const path of candidates) {
      if (this.files.has(path)) return undefined;
      if (this.hashes.has(path)) continue;
      // The condition uses `>`, because the page itself is one of the files.
      if (this.files.size > limits.snippets || this.hashes.size >= maxLookups) {
        const excess = `The page includes more than ${limits.snippets} files`;
        const position = { file: page.path, line: 1, column: 1 };
        this.#options.problems.error(
          "too_many_snippets",
          `${excess}; the rest are ignored.`,
          position,
        );
        this.files.set(path, new UnreadFile(`${excess}; ${path} was not read.`));
        return undefined;
      }
      const source = await this.#read(path);
      this.hashes.set(path, source === undefined ? "" : sha256(source));
      if (source === undefined) continue;
      const { variables, hasFormulas, problems } = this.#options;
      const input = { path, format: getFormat(path), source, variables, hasFormulas };
      const file = parseSource(input, problems);
      this.files.set(path, file ?? createUnreadFile(path));
      return file;
    }
    return undefined;
  }

  /** Reads a file. Returns undefined if it does not exist or cannot be read. */
  async #read(path: string): Promise<string | undefined> {
    try {
      return await this.#options.readFile(path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const position = { file: path, line: 1, column: 1 };
      this.#options.problems.error("snippet_unreadable", reason, position);
      this.files.set(path, createUnreadFile(path));
      return undefined;
    }
  }
}

function createUnreadFile(path: string): UnreadFile {
  return new UnreadFile(`${path} could not be read.`);
}

function getFormat(path: string): "mdx" | "md" | "script" {
  if (path.endsWith(".mdx")) return "mdx";
  return path.endsWith(".md") ? "md" : "script";
}

function* listReferences(file: SourceFile): Generator<readonly string[]> {
  for (const binding of file.imports) yield binding.candidates;
  if (!file.text.includes("<Snippet")) return;
  for (const node of walkNodes(file.nodes)) {
    const name = findSnippetFile(node);
    if (name !== undefined) yield listSnippetCandidates(name);
  }
}
