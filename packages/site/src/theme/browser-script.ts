import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { keepScript } from "./kept-script.ts";

const imports = /^import [^;]*;\n/gm;
const exports = /^export /gm;
const docComments = /^\s*\/\*\*[\s\S]*?\*\/\n/gm;
const lineComments = /^\s*\/\/.*\n/gm;
// No text of these scripts spans lines, so blanks at their ends mean nothing.
const blanks = /^[ \t]+|[ \t]+$/gm;
const blankLines = /\n{2,}/g;

/**
 * One classic script made of TypeScript modules, since browsers load no modules from `file://`. Each
 * module stands after those that it imports; they share one scope, so no two of them may declare the
 * same name at their top.
 */
export async function readBrowserScript(modules: readonly URL[]): Promise<string> {
  const sources = await Promise.all(modules.map((url) => readFile(url, "utf8")));
  return await keepScript(sources, () => joinModules(sources));
}

function joinModules(sources: readonly string[]): string {
  const bodies = sources.map((source) =>
    stripTypeScriptTypes(source)
      .replaceAll(imports, "")
      .replaceAll(exports, "")
      .replaceAll(docComments, "")
      .replaceAll(lineComments, "")
      .replaceAll(blanks, "")
      .replaceAll(blankLines, "\n"),
  );
  return `(() => {\n"use strict";\n${bodies.join("")}})();\n`;
}
