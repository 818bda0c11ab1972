import { readFenceWords } from "./fence-words.ts";
import { isInline } from "./inline-names.ts";
import { blank, outsideOfCode } from "./parse-mdx.ts";
import type { Rule } from "./rules.ts";
import type { Reading } from "./scope.ts";
import { isShownAttribute } from "./shown-attributes.ts";

/**
 * Reads a text that no strict parser takes, by patterns: comments, imports, tags and addresses are taken out, and what
 * is left is shown. Words are right, their connection is not.
 */
export function readRoughly(
  text: string,
  { pieces }: Reading,
  readImport: (path: string) => void,
): void {
  const explain = (rule: Rule) => (part: string) => {
    pieces.explain(part, rule);
    return ` ${blank(part)}`;
  };
  const imports = new Map<string, string>();
  const rest = outsideOfCode(text, (part) =>
    part
      .replaceAll(/<!--[\s\S]*?-->|\{\s*\/\*[\s\S]*?\*\/\s*\}/g, explain("comment"))
      .replaceAll(
        /^import (\w+) from "\/([^"]+\.mdx)";?$/gm,
        (whole, name: string, path: string) => {
          imports.set(name, path);
          return explain("module")(whole);
        },
      )
      .replaceAll(/^(?:import|export) [\s\S]*?(?=\n\s*\n|$(?![\s\S]))/gm, explain("module"))
      .replaceAll(/\{#[^{}\n]+\}|\[\^[^\]\s]+\]:?/g, explain("anchor"))
      .replaceAll(/^[ >]*\[[^\]\n]+\]:[ \t]+\S+.*$|(?<=\])\[[^\]\n]+\]/gm, explain("address"))
      .replaceAll(/^[ >]*\[![A-Z]+\]/gm, explain("alert"))
      .replaceAll(/<(script|style|template|noscript|object)\b[\s\S]*?<\/\1>/g, explain("code"))
      .replaceAll(/&#?\w+;/g, " ")
      .replaceAll(
        /<\/?([A-Za-z][\w.]*)((?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}))?)*)\s*\/?>/g,
        readTag,
      )
      .replaceAll(
        /\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)/g,
        (part) => `]${explain("address")(part)}`,
      ),
  );
  for (const [at, line] of rest.split("\n").entries()) {
    pieces.breakWord();
    const [fence, info = ""] = /^\s*(?:`{3,}|~{3,})[\w-]*(.*)/.exec(line) ?? [];
    const { titles, options } = readFenceWords(info);
    if (fence !== undefined) {
      pieces.explain(fence.slice(0, fence.length - info.length), "fence");
      pieces.explain(options.join(" "), "fence");
    }
    const text = fence === undefined ? withoutMarks(line, explain("number")) : titles.join(" ");
    pieces.show(text, "text", at + 1);
    pieces.breakWord();
  }

  function readTag(_: string, name: string, attributes: string): string {
    const path = imports.get(name);
    if (path !== undefined) readImport(path);
    for (const match of attributes.matchAll(/([\w:-]+)(?:=(?:"([^"]*)"|'([^']*)'))?/g)) {
      const [whole, attribute = "", double, single] = match;
      pieces.breakWord();
      const value = double ?? single;
      if (value !== undefined && isShownAttribute(name, attribute)) {
        pieces.explain(attribute, "property");
        pieces.show(value, `${name} ${attribute}`, 0);
      } else pieces.explain(whole, "property");
      pieces.breakWord();
    }
    pieces.explain(name, "property");
    return isInline(name) ? "" : " ";
  }
}

/** Without marks of emphasis and numbers of lists. */
function withoutMarks(line: string, explainNumber: (part: string) => string): string {
  return line
    .replace(/^[ >]*\d+[.)](?= )/, explainNumber)
    .replaceAll(/\*\*|[*`]|~~|(?<!\w)_|_(?!\w)/g, "");
}
