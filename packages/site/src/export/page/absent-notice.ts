import type { AbsentSubject } from "../../load/index.ts";
import { fill, type ApiWords } from "../../markup/index.ts";

/** MDX for the end of a page that should show something of an API and cannot. */
export function absentNotice({ kind, name }: AbsentSubject, words: ApiWords): string {
  const template = kind === "description" ? words.absentDescription : words.absentPart;
  return `\n\n<Warning>\n\n${fill(template, { name: inlineCode(name) })}\n\n</Warning>\n`;
}

const maxShown = 500;

/** A name may be whatever an author wrote; nothing in code is Markdown, and only a backtick ends it. */
function inlineCode(name: string): string {
  const shown = name.slice(0, maxShown).replaceAll("`", "%60").replaceAll(/\s+/g, " ");
  return `\`${shown}\``;
}
