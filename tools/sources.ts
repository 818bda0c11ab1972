/** Reads the texts and syntax trees of the sources of all packages, for tools. */
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { parse } from "acorn";
import type { Node } from "acorn";
import { repository, testFile } from "./import-problem.ts";

export interface SourceText {
  /** The absolute path. */
  readonly path: string;
  readonly text: string;
}

export type SyntaxNode = Node & Readonly<Record<string, unknown>>;

export const packages = join(repository, "packages");

/** Reads all source files except tests, sorted by path. */
export function readSources(): SourceText[] {
  return globSync("*/src/**/*.ts", { cwd: packages })
    .filter((path) => !testFile.test(path))
    .toSorted()
    .map((path) => ({
      path: join(packages, path),
      text: readFileSync(join(packages, path), "utf8"),
    }));
}

/** Returns a path relative to `packages/`. */
export function shorten(path: string): string {
  return path.slice(packages.length + 1);
}

/** Returns all nodes of a file's syntax tree, with offsets in its text. */
export function listNodes({ text }: SourceText): SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== "object" || value === null || !("type" in value)) return;
    const node = value as SyntaxNode;
    nodes.push(node);
    Object.values(node).forEach(visit);
  };
  // Types are replaced with spaces, so that offsets do not change.
  const plain = stripTypeScriptTypes(text, { mode: "strip" });
  visit(parse(plain, { ecmaVersion: "latest", sourceType: "module" }));
  return nodes;
}
