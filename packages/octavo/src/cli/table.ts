/** Rows in aligned columns, with headings; `-` stands for what has no value. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | null)[])[],
): string[] {
  const cells = [headings, ...rows].map((row) => row.map((cell) => cell ?? "-"));
  const widths = headings.map((_, column) =>
    cells.reduce((max, row) => Math.max(max, row[column]?.length ?? 0), 0),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
