/** Rows in aligned columns, with headings; `-` for a missing value. */
export function formatTable(
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
