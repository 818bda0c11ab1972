import { lineChanges, splitLines } from "./text-changes.ts";
import type { LineChange } from "./text-changes.ts";

const contextLines = 3;

/** The hunks of a unified diff between two texts, without its header; empty for equal texts. */
export function unifiedDiff(before: string, after: string): string {
  const old = splitLines(before);
  const changes = lineChanges(old, splitLines(after));
  let shift = 0;
  const hunks: string[] = [];
  for (const group of nearbyChanges(changes)) {
    hunks.push(hunkOf(old, group, shift));
    shift += group.reduce((sum, { start, end, lines }) => sum + lines.length - (end - start), 0);
  }
  return hunks.join("");
}

/** Changes whose context would overlap belong to one hunk. */
function nearbyChanges(changes: readonly LineChange[]): LineChange[][] {
  const groups: LineChange[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const end = group?.at(-1)?.end;
    if (group && end !== undefined && change.start - end <= contextLines * 2) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

function hunkOf(old: readonly string[], group: readonly LineChange[], shift: number): string {
  const first = Math.max((group[0]?.start ?? 0) - contextLines, 0);
  const end = Math.min((group.at(-1)?.end ?? 0) + contextLines, old.length);
  const lines: string[] = [];
  let [at, added] = [first, 0];
  for (const change of group) {
    lines.push(...old.slice(at, change.start).map((line) => marked(" ", line)));
    lines.push(...old.slice(change.start, change.end).map((line) => marked("-", line)));
    lines.push(...change.lines.map((line) => marked("+", line)));
    added += change.lines.length - (change.end - change.start);
    at = change.end;
  }
  lines.push(...old.slice(at, end).map((line) => marked(" ", line)));
  const length = end - first;
  return `@@ -${range(first, length)} +${range(first + shift, length + added)} @@\n${lines.join("")}`;
}

/** Lines as a hunk's head counts them: from 1, and from 0 where there are none. */
function range(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}

function marked(sign: string, line: string): string {
  return line.endsWith("\n") ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;
}
