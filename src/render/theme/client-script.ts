import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";

/** The modules of the reader's script; each stands after those that it imports. */
const modules = [
  "page",
  "memory",
  "words",
  "scheme",
  "menu",
  "copy",
  "tabs",
  "views",
  "changelog",
  "target",
  "outline",
  "sidebar",
  "consent",
  "zoom",
  "search",
  "main",
] as const;

const imports = /^import [^;]*;\n/gm;
const exports = /^export /gm;
const docComments = /^\s*\/\*\*[\s\S]*?\*\/\n/gm;
const lineComments = /^\s*\/\/.*\n/gm;
// No text of the script spans lines, so blanks at their ends mean nothing.
const blanks = /^[ \t]+|[ \t]+$/gm;
const blankLines = /\n{2,}/g;

/**
 * `octavo.js`: one classic script, since browsers load no modules from `file://`. The modules share one
 * scope, so no two of them may declare the same name at their top.
 */
export async function clientScript(): Promise<string> {
  const folder = new URL("client/", import.meta.url);
  const extension = import.meta.filename.endsWith(".ts") ? ".ts" : ".js";
  const parts = await Promise.all(
    modules.map(async (name) => {
      const source = await readFile(new URL(name + extension, folder), "utf8");
      const script = extension === ".ts" ? stripTypes(source) : source;
      return script
        .replaceAll(imports, "")
        .replaceAll(exports, "")
        .replaceAll(docComments, "")
        .replaceAll(lineComments, "")
        .replaceAll(blanks, "")
        .replaceAll(blankLines, "\n");
    }),
  );
  return `(() => {\n"use strict";\n${parts.join("")}})();\n`;
}

/** Node 24 says at the first use that the function is still experimental; that is nobody's news but ours. */
function stripTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
