interface ListBounds {
  /** Characters of all lines together, as they stand in the list. */
  readonly maxLength: number;
  /** How many there are, also where `lines` holds only some of them. */
  readonly total: number;
  /** What is left out: `more files`. */
  readonly rest: string;
}

/**
 * Short texts of people, models and repositories in the Markdown of a code host: as code, so that they
 * mention nobody, close no issue, show no picture and contain no HTML. Longer ones: `inertMarkdown`.
 */

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

/** A list in Markdown that stops in time, and then says how many lines it leaves out. */
export function boundedList(
  lines: readonly string[],
  { maxLength, total, rest }: ListBounds,
): string {
  const shown: string[] = [];
  let length = 0;
  for (const line of lines) {
    const item = `- ${line}`;
    length += item.length + 1;
    if (length > maxLength) break;
    shown.push(item);
  }
  if (shown.length < total) shown.push(`- and ${total - shown.length} ${rest}`);
  return shown.join("\n");
}
