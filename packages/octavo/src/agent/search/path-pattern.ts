import { OctavoError } from "@octavo/site/core";
import { linearPattern } from "../patterns.ts";

/**
 * A test of paths: `*` stands for any letters of one part, `**` for any parts, `?` for one letter, and
 * `{a,b}` for one of several. A pattern without a slash means the file's name in any folder. Globs of
 * libraries become expressions that backtrack: five stars in one keep V8 for a minute over 200 letters.
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
  const parts = linearPattern(source);
  return (path) => parts.matchesAll(path);
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
