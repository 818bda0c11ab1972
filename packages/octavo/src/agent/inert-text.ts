/**
 * What people, models and repositories wrote, in the Markdown of a code host: as code, so that it
 * mentions nobody, closes no issue, shows no picture and holds no HTML.
 */

const quoteWidth = 100;
/** A longer run is written shorter: the fence around it has to be longer still, and stands there twice. */
const shortenedRun = "`".repeat(20);
const tooLongRun = /`{21,}/g;

/** A block of code that nothing in the text can close, its lines folded as code hosts do not. */
export function quote(text: string, maxLength: number): string {
  const clean = text
    .replaceAll(/[^\P{C}\n\t]/gu, "")
    .replaceAll(tooLongRun, shortenedRun)
    .trim();
  const cut = shortened(clean, maxLength);
  const longest = cut.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const fence = "`".repeat(Math.max(3, longest + 1));
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

/** A span of code on one line; what would close it is written otherwise. */
export function code(text: string, maxLength: number): string {
  return `\`${shortened(text.replaceAll(/[\p{C}\n]/gu, " "), maxLength).replaceAll("`", "'")}\``;
}

/** A link whose words are code. What would end the label is written otherwise. */
export function codeLink(text: string, address: string, maxLength: number): string {
  return `[${code(text.replaceAll("[", "(").replaceAll("]", ")"), maxLength)}](${address})`;
}

/** Words in which a code host sees neither people nor issues: titles know no code. */
export function inertWords(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/[@#<>!`]/g, "")
    .replaceAll(/\bgh-(?=\d)/gi, "GH ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

export function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).toWellFormed()}…` : text;
}
