interface ListBounds {
  /** The maximum total length of the lines as formatted in the list, in characters. */
  readonly maxLength: number;
  /** The total number of lines, including those that are not in `lines`. */
  readonly total: number;
  /** A name for the omitted lines, such as `more files`. */
  readonly rest: string;
}

/**
 * Formats short texts from people, models and repositories for a code host's Markdown. They become code, so that they
 * do not mention anyone, close issues, show pictures or contain HTML. For longer texts, see `sanitizeMarkdown`.
 */

/** Formats a code span on one line. Backticks, which would close it, are replaced. */
export function formatInertCode(text: string, maxLength: number): string {
  return `\`${truncate(text.replaceAll(/[\p{C}\n]/gu, " "), maxLength).replaceAll("`", "'")}\``;
}

/** Formats a link with code as its label. Brackets, which would end the label, are replaced. */
export function formatInertLink(text: string, address: string, maxLength: number): string {
  return `[${formatInertCode(text.replaceAll("[", "(").replaceAll("]", ")"), maxLength)}](${address})`;
}

/** Breaks mentions and issue references in titles, which cannot contain code. */
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

/** Formats a Markdown list that ends before `maxLength` and then states how many lines are omitted. */
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
