/**
 * Text of people, models and repositories in the Markdown of a code host: as code, so that it
 * mentions nobody, closes no issue, shows no picture and contains no HTML.
 */

const quoteWidth = 100;
/** Longer runs are shortened: the fence, which is written twice, must be longer than any of them. */
const shortenedRun = "`".repeat(20);
const tooLongRun = /`{21,}/g;

/** A code block that nothing in the text can close. Its lines are wrapped, which code hosts do not do. */
export function inertBlock(text: string, maxLength: number): string {
  const clean = text
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .replaceAll(tooLongRun, shortenedRun)
    .trim();
  const cut = truncate(clean, maxLength);
  const maxRun = cut.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const fence = "`".repeat(Math.max(3, maxRun + 1));
  return `${fence}text\n${cut.split("\n").map(folded).join("\n")}\n${fence}`;
}

function folded(line: string): string {
  const lines: string[] = [];
  let at = 0;
  while (line.length - at > quoteWidth) {
    const space = line.lastIndexOf(" ", at + quoteWidth);
    const end = space > at + quoteWidth / 2 ? space : at + quoteWidth;
    lines.push(line.slice(at, end));
    at = end;
    while (line[at] === " ") at++;
  }
  return [...lines, line.slice(at)].join("\n");
}

/** A code span on one line; backticks, which would close it, are replaced. */
export function inertCode(text: string, maxLength: number): string {
  return `\`${truncate(text.replaceAll(/[\p{C}\n]/gu, " "), maxLength).replaceAll("`", "'")}\``;
}

/** A link whose label is code; brackets, which would end the label, are replaced. */
export function inertLink(text: string, address: string, maxLength: number): string {
  return `[${inertCode(text.replaceAll("[", "(").replaceAll("]", ")"), maxLength)}](${address})`;
}

/** Words that a code host does not take for mentions or issues, for titles, which cannot contain code. */
export function inertWords(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/[@#<>!`]/g, "")
    .replaceAll(/\bgh-(?=\d)/gi, "GH ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}
