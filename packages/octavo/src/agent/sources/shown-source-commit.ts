import type { SourceCommit } from "../../git/index.ts";
import { truncate } from "../inert-text.ts";
import type { ToolOutput } from "../tools/tool.ts";
import { shortCommit } from "./choose-source.ts";

const subjectLength = 200;
const bodyLength = 600;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;
/** Lines that name people: `Co-authored-by: Ada <ada@example.com>`. */
const people = /^[\w-]{1,40}-by:.*$/gim;

/** A commit as a model reads it: nobody's name or address, and no characters that hide others. */
export function shownSourceCommit({ commit, date, subject, body, tags }: SourceCommit): ToolOutput {
  const message = truncate(clean(body.replaceAll(people, "")), bodyLength);
  return {
    commit: shortCommit(commit),
    date,
    subject: truncate(clean(subject), subjectLength),
    ...(message !== "" && { message }),
    ...(tags.length > 0 && { tags: tags.map(clean) }),
  };
}

export function clean(text: string): string {
  return text
    .replaceAll(/[^\P{C}\n]|[^\S\n]/gu, " ")
    .replaceAll(/ +/g, " ")
    .replaceAll(mailAddress, "…")
    .trim();
}
