export interface ListBounds {
  /** Characters of all lines together, as they stand in the list. */
  readonly maxLength: number;
  /** How many there are, also where `lines` holds only some of them. */
  readonly total: number;
  /** What is left out: `more files`. */
  readonly rest: string;
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
