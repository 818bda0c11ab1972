import { posix } from "node:path";
import { parentFolder } from "../content.ts";
import { codeRanges, isInCode, relativePath } from "@octavo/site/text";
import type { TextEdit } from "@octavo/site/text";

/** A file that moves, by its old and its new path. */
export interface FileMove {
  readonly from: string;
  readonly to: string;
}

const importPattern = /^import\s[^"'`;]{0,2000}?["']([^"'\n]{1,1000})["']/gm;
const snippetPattern = /<Snippet\s[^>]{0,500}?file=["']([^"'\n]{1,1000})["']/g;
const extensions = ["", ".mdx", ".md", ".jsx", ".js"];
const snippetFolder = /^_?snippets\//;

/**
 * Edits of a page's or snippet's imports, and of `<Snippet file="..." />`, so that they name what they
 * named before the move: in the file that moves its relative ones, elsewhere those of that file.
 */
export function rewriteImports(file: string, text: string, move: FileMove): readonly TextEdit[] {
  const code = codeRanges(text);
  const edits: TextEdit[] = [];
  function replace(match: RegExpExecArray, written: string | undefined): void {
    const specifier = match[1] ?? "";
    if (written === undefined || written === specifier || isInCode(code, match.index)) return;
    const end = match.index + match[0].length - 1;
    edits.push({ start: end - specifier.length, end, text: written });
  }
  for (const match of text.matchAll(importPattern)) {
    replace(match, newSpecifier(match[1] ?? "", file, move));
  }
  for (const match of text.matchAll(snippetPattern))
    replace(match, newSnippet(match[1] ?? "", move));
  return edits;
}

function newSpecifier(specifier: string, file: string, move: FileMove): string | undefined {
  if (!/^\.{0,2}\//.test(specifier)) return undefined;
  const isAbsolute = specifier.startsWith("/");
  const path = isAbsolute ? specifier.slice(1) : posix.join(parentFolder(file), specifier);
  const extension = extensions.find((ending) => path + ending === move.from);
  const isTarget = extension !== undefined;
  if (!isTarget && (file !== move.from || isAbsolute)) return undefined;
  const goal = isTarget ? move.to.slice(0, move.to.length - extension.length) : path;
  if (isAbsolute) return `/${goal}`;
  const written = relativePath(parentFolder(file === move.from ? move.to : file), goal);
  return written.startsWith("../") ? written : `./${written}`;
}

function newSnippet(name: string, { from, to }: FileMove): string | undefined {
  const isNamed = snippetFolder.test(from) && from.replace(snippetFolder, "") === name;
  return isNamed && snippetFolder.test(to) ? to.replace(snippetFolder, "") : undefined;
}
