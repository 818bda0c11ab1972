import { posix } from "node:path";
import { codeBlocks, isInCode } from "@octavo/site/text";
import { isPersonalGuide } from "../content.ts";

const importLine = /^[ \t]*(?:[-*][ \t]+)?@([^\s@`]{1,500})[ \t]*\r?$/gm;

/**
 * The files that a guide imports by lines of `@path`, as paths from the repository's root: texts inside the
 * repository only, and nobody's personal guides.
 */
export function importsOf(path: string, text: string): readonly string[] {
  const code = codeBlocks(text);
  const found: string[] = [];
  for (const match of text.matchAll(importLine)) {
    const target = match[1] ?? "";
    if (isInCode(code, match.index) || /^[~/]/.test(target)) continue;
    const imported = posix.join(posix.dirname(path), target);
    if (isImportable(imported)) found.push(imported);
  }
  return found;
}

function isImportable(path: string): boolean {
  const parts = path.split("/");
  const isInside = !parts.includes("..") && !parts.some((part) => part.toLowerCase() === ".git");
  return isInside && /\.(?:md|mdx|mdc|txt)$/i.test(path) && !isPersonalGuide(path);
}
