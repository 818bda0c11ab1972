import { OctavoError } from "@octavo/site/core";
import { linearPattern } from "./linear-pattern.ts";

/**
 * A test of paths: `*` stands for any letters of one part, `**` for any parts, `?` for one letter, and
 * `{a,b}` for one of several. A pattern without a slash means the file's name in any folder.
 */
export function pathPattern(pattern: string): (path: string) => boolean {
  const clean = pattern.replace(/^\.?\//, "");
  if (/[()[\]\\|^$+]/.test(clean)) {
    throw new OctavoError(
      "invalid_input",
      `The path pattern ${JSON.stringify(pattern.slice(0, 200))} may hold the signs *, **, ? and {a,b} only.`,
    );
  }
  const whole = clean.includes("/") || clean === "**" ? clean : `**/${clean}`;
  const source = whole.replaceAll(/\*\*\/|\*\*|\*|\?|[{},.]/g, (sign) => translated(sign));
  const search = linearPattern(`^${source}$`, { ignoreCase: false });
  return (path) => search(path) === 0;
}

const translations: Readonly<Record<string, string>> = {
  "**/": "(?:.*/)?",
  "**": ".*",
  "*": "[^/]*",
  "?": "[^/]",
  "{": "(?:",
  "}": ")",
  ",": "|",
};

function translated(sign: string): string {
  return translations[sign] ?? `\\${sign}`;
}
