import { sha256, limits } from "../core/index.ts";
import { listSnippetCandidates } from "./script/import-binding.ts";
import { parseSource } from "./parse-source.ts";
import type { ProblemList } from "./problem-list.ts";
import { listAttributes, walkNodes, isRawElement, type RawNode } from "./raw-node.ts";
import { UnreadFile, type IncludedFiles, type SourceFile } from "./source-file.ts";

/** The maximum number of files that are looked for. An import can mean five paths. */
const maxLookups = 5 * limits.snippets;

interface LoadOptions {
  readonly variables: Readonly<Record<string, string>>;
  readonly hasFormulas?: boolean | undefined;
  /** Returns undefined for a missing file; rejects with the reason if a file cannot be read. */
  readonly readFile: (path: string) => Promise<string | undefined>;
  readonly problems: ProblemList;
}

interface LoadedSources {
  readonly files: IncludedFiles;
  /** The SHA-256 of each file's text, by path; an empty string for a file that was looked up but does not exist. */
  readonly dependencies: Readonly<Record<string, string>>;
}

/** Reads and parses, once each, all files that `page` imports directly or indirectly. */
export async function loadSources(page: SourceFile, options: LoadOptions): Promise<LoadedSources> {
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
    // The loop appends the files that it finds.
    const found = [page];
    for (const file of found) {
      for (const candidates of listReferences(file)) {
        const loaded = await this.#loadFirst(candidates, page);
        if (loaded) found.push(loaded);
      }
    }
  }

  /** Loads the first of `candidates` that exists; undefined if none exists or the file is already loaded. */
  async #loadFirst(
    candidates: readonly string[],
    page: SourceFile,
  ): Promise<SourceFile | undefined> {
    for (const path of candidates) {
      if (this.files.has(path)) return undefined;
      if (this.hashes.has(path)) continue;
      // The page itself is one of the files.
      if (this.files.size > limits.snippets || this.hashes.size >= maxLookups) {
        const limit = `The page includes more than ${limits.snippets} files`;
        const place = { file: page.path, line: 1, column: 1 };
        this.#options.problems.error("too_many_snippets", `${limit}; the rest are ignored.`, place);
        this.files.set(path, new UnreadFile(`${limit}; ${path} was not read.`));
        return undefined;
      }
      const source = await this.#read(path);
      this.hashes.set(path, source === undefined ? "" : sha256(source));
      if (source === undefined) continue;
      const { variables, hasFormulas, problems } = this.#options;
      const text = { path, format: getFormat(path), source, variables, hasFormulas };
      const file = parseSource(text, problems);
      this.files.set(path, file ?? createUnreadFile(path));
      return file;
    }
    return undefined;
  }

  /** Reads a file; undefined if it does not exist or cannot be read. */
  async #read(path: string): Promise<string | undefined> {
    try {
      return await this.#options.readFile(path);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const place = { file: path, line: 1, column: 1 };
      this.#options.problems.error("snippet_unreadable", reason, place);
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

/** Returns the `file` of `<Snippet file="..." />`, the format's older way to include a file. */
export function findSnippetFile(node: RawNode): string | undefined {
  if (!isRawElement(node) || node.name !== "Snippet") return undefined;
  for (const attribute of listAttributes(node)) {
    if (attribute.type !== "mdxJsxAttribute" || attribute.name !== "file") continue;
    return typeof attribute.value === "string" ? attribute.value : undefined;
  }
  return undefined;
}
