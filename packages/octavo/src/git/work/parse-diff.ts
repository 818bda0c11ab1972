import type { GitFileChange } from "./compare.ts";

type DiffLineKind = "context" | "added" | "removed" | "note";

export interface DiffLine {
  readonly kind: DiffLineKind;
  readonly text: string;
  /** Line numbers on each side; undefined on a side that does not contain the line. */
  readonly before?: number;
  readonly after?: number;
}

export interface DiffHunk {
  /** The context that git shows for the hunk, such as the heading above it. */
  readonly heading: string;
  readonly lines: readonly DiffLine[];
}

export interface DiffFile extends GitFileChange {
  /** The first line of the file's diff, unchanged. */
  readonly header: string;
  readonly isBinary: boolean;
  readonly added: number;
  readonly removed: number;
  readonly hunks: readonly DiffHunk[];
}

interface OpenFile {
  header: string;
  kind: GitFileChange["kind"];
  path: string;
  from?: string;
  isBinary: boolean;
  added: number;
  removed: number;
  hunks: { heading: string; lines: DiffLine[] }[];
  before: number;
  after: number;
}

const fileStart = "diff --git ";
const hunkStart = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@ ?/;

/**
 * Parses git's unified diff in one pass. Each line of a hunk begins with a marker, so that file content cannot be
 * mistaken for the beginning of another file. Text that is not a diff yields no files.
 */
export function parseDiff(text: string): DiffFile[] {
  const files: OpenFile[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith(fileStart)) {
      const header = line.slice(fileStart.length);
      files.push({
        header,
        kind: "modified",
        path: readHeaderPath(header),
        isBinary: false,
        added: 0,
        removed: 0,
        hunks: [],
        before: 0,
        after: 0,
      });
      continue;
    }
    const file = files.at(-1);
    if (file) readLine(file, line);
  }
  return files;
}

function readLine(file: OpenFile, line: string): void {
  const start = hunkStart.exec(line);
  if (start) {
    file.before = Number(start[1]);
    file.after = Number(start[2]);
    file.hunks.push({ heading: line.slice(start[0].length), lines: [] });
    return;
  }
  const hunk = file.hunks.at(-1);
  if (!hunk) {
    readHeaderLine(file, line);
    return;
  }
  const text = line.slice(1);
  switch (line[0]) {
    case "+":
      file.added++;
      hunk.lines.push({ kind: "added", text, after: file.after++ });
      return;
    case "-":
      file.removed++;
      hunk.lines.push({ kind: "removed", text, before: file.before++ });
      return;
    case " ":
      hunk.lines.push({ kind: "context", text, before: file.before++, after: file.after++ });
      return;
    case "\\":
      hunk.lines.push({ kind: "note", text: text.trim() });
      return;
    default:
  }
}

/** Parses a line between the first line of a file's diff and the first hunk. */
function readHeaderLine(file: OpenFile, line: string): void {
  if (line.startsWith("Binary files ")) file.isBinary = true;
  if (line.startsWith("new file mode ")) file.kind = "added";
  if (line.startsWith("deleted file mode ")) file.kind = "deleted";
  if (line.startsWith("rename to ")) file.path = decodeName(line.slice("rename to ".length));
  if (line.startsWith("rename from ")) {
    file.kind = "renamed";
    file.from = decodeName(line.slice("rename from ".length));
  }
}

/**
 * Returns the path from a header such as `a/guide.mdx b/guide.mdx`, which repeats the same name. For a renamed file,
 * different lines contain the paths.
 */
function readHeaderPath(header: string): string {
  const half = (header.length - 1) / 2;
  const [before, after] = [decodeName(header.slice(0, half)), decodeName(header.slice(half + 1))];
  return before.slice(2) === after.slice(2) ? after.slice(2) : header;
}

/**
 * Decodes a name. Git quotes names with special characters as in C, and escapes the bytes of other characters in octal.
 */
function decodeName(written: string): string {
  if (!written.startsWith('"')) return written;
  const bytes = Buffer.from(written.slice(1, -1)).toString("latin1");
  const name = bytes.replaceAll(/\\([0-7]{3}|.)/g, (_, sign: string) =>
    sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (escapes[sign] ?? sign),
  );
  return Buffer.from(name, "latin1").toString("utf8");
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
