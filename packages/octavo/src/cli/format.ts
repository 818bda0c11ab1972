/** Formats numbers and tables for people. */

/** Formats a size, e.g. `812 B`, `3.4 MB`; a kilobyte is 1,000 bytes. */
export function formatBytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let [value, unit] = [size, 0];
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Formats a duration, e.g. `0.8 s`, `42 s`, `3 min 5 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Formats rows in aligned columns with headings. A missing value is shown as `-`. */
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
