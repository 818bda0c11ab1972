import { readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";

/**
 * One classic script made of modules in the given order: types stripped, imports and `export`
 * keywords gone, everything inside one function. Modules of one script must not use a name twice.
 */
export async function readBrowserScript(modules: readonly URL[]): Promise<string> {
  const sources = await Promise.all(modules.map((url) => readFile(url, "utf8")));
  const bodies = sources.map((source) =>
    stripTypeScriptTypes(source)
      .replace(/^import\s[^;]*;\n/gm, "")
      .replace(/^export (?=(?:async )?function|const|let|class)/gm, "")
      .replace(/^\s*\/\*\*[\s\S]*?\*\/\n/gm, "")
      .replace(/^\s*\/\/.*\n/gm, "")
      .replace(/[ \t]+$/gm, "")
      .replace(/\n{2,}/g, "\n"),
  );
  return `(function () {\n"use strict";\n${bodies.join("\n")}})();\n`;
}
