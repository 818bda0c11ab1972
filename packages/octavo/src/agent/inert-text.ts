interface ListBounds {
  /** Total characters of the lines as formatted in the list. */
  readonly maxLength: number;
  /** The total number of lines, including those not in `lines`. */
  readonly total: number;
  /** Names the omitted lines: `more files`. */
  readonly rest: string;
}

/**
 * Formats short texts from people, models and repositories for a code host's Markdown: as code, so that they do not
 * mention anyone, close issues, show pictures or contain HTML. For longer texts, see `inertMarkdown`.
 */

/** A code span on one line; backticks, which would close it, are replaced. */
export function formatInertCode(text: string, maxLength: number): string {
  return `\`${truncate(text.replaceAll(/[\p{C}\n]/gu, " "), maxLength).replaceAll("`", "'")}\``;
}

/** A link with code as its label; brackets, which would end the label, are replaced. */
export function formatInertLink(text: string, address: string, maxLength: number): string {
  return `[${formatInertCode(text.replaceAll("[", "(").replaceAll("]", ")"), maxLength)}](${address})`;
}

/** Breaks mentions and issue references, for titles, which cannot contain code. */
export function sanitizeWords(text: string): string {
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

/** A Markdown list that ends before `maxLength` and then states how many lines it omits. */
export function formatBoundedList(
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
