import type { Program, ImportDeclaration } from "acorn";
import { cleanRelativePath } from "../core/index.ts";
import { listAttributes, isRawElement } from "./raw-node.ts";
import type { RawNode } from "./raw-node.ts";

/** A parsed file of the site: a page, a snippet, or a file of components. */
export interface SourceFile {
  /** The path relative to the site's folder. */
  readonly path: string;
  /** The text to which the offsets of nodes refer. It still contains marks. */
  readonly text: string;
  readonly nodes: readonly RawNode[];
  /** The ESM blocks in order. */
  readonly modules: readonly Program[];
  readonly imports: readonly ImportBinding[];
  /** The text of the modules. */
  readonly script: string;
  /** The authored ids of headings, by 1-based line. */
  readonly headingIds: ReadonlyMap<number, string>;
  /** Ranges that were replaced with spaces, as start, end, start, end, ... */
  readonly blankedRanges: readonly number[];
}

/** A file that a page includes, but that was not read. */
export class UnreadFile {
  /** A sentence that names the file. */
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** The files that a page includes, by path. */
export type IncludedFiles = ReadonlyMap<string, SourceFile | UnreadFile>;

/** Returns the first of the files to which `candidates` may refer. */
export function findIncludedFile(
  candidates: readonly string[],
  files: IncludedFiles,
): SourceFile | UnreadFile | undefined {
  const path = candidates.find((candidate) => files.has(candidate));
  return path === undefined ? undefined : files.get(path);
}

interface ImportBinding {
  readonly local: string;
  /** `default`, `*` or the exported name. */
  readonly imported: string;
  readonly specifier: string;
  /** The possible paths of the file, relative to the site's folder, most likely first. Empty for a package. */
  readonly candidates: readonly string[];
}

const extensions = [".mdx", ".md", ".jsx", ".js"];

/** Reads the names that the ESM blocks of a file import, each with the possible paths of the imported file. */
export function readImports(modules: readonly Program[], file: string): readonly ImportBinding[] {
  return modules.flatMap((program) =>
    program.body.flatMap((statement) =>
      statement.type === "ImportDeclaration" ? createBindings(statement, file) : [],
    ),
  );
}

function createBindings(statement: ImportDeclaration, file: string): readonly ImportBinding[] {
  const specifier = String(statement.source.value);
  const candidates = listCandidates(specifier, file);
  return statement.specifiers.map((entry) => {
    const local = entry.local.name;
    if (entry.type === "ImportDefaultSpecifier") {
      return { local, imported: "default", specifier, candidates };
    }
    if (entry.type === "ImportNamespaceSpecifier") {
      return { local, imported: "*", specifier, candidates };
    }
    const { imported } = entry;
    const name = imported.type === "Identifier" ? imported.name : String(imported.value);
    return { local, imported: name, specifier, candidates };
  });
}

/**
 * Lists the possible paths. `/snippets/a.mdx` is relative to the site's folder, `./a.mdx` is relative to the file's
 * folder.
 */
function listCandidates(specifier: string, file: string): readonly string[] {
  if (!/^\.{0,2}\//.test(specifier)) return [];
  const folder = file.slice(0, file.lastIndexOf("/") + 1);
  const path = cleanRelativePath(specifier.startsWith("/") ? specifier : folder + specifier);
  if (path === undefined || path === "") return [];
  if (/\.\w+$/.test(path)) return [path];
  return [path, ...extensions.map((extension) => path + extension)];
}

/** Lists the possible paths of `<Snippet file="a.mdx" />`. Some authors add the folder or omit the extension. */
export function listSnippetCandidates(file: string): readonly string[] {
  const path = cleanRelativePath(file);
  if (path === undefined || path === "") return [];
  const named = /\.\w+$/.test(path) ? path : `${path}.mdx`;
  const whole = /^_?snippets\//.test(named) ? [named] : [];
  return [...whole, `snippets/${named}`, `_snippets/${named}`];
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
