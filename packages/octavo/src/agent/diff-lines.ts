/** Lines of one file that a change takes out or puts in. */
export interface FileLines {
  /** Where the file is after the change. */
  readonly path: string;
  readonly removed: readonly string[];
  readonly added: readonly AddedLine[];
}

export interface AddedLine {
  /** 1 is the file's first. */
  readonly line: number;
  readonly text: string;
}

interface OpenFile {
  readonly path: string;
  readonly removed: string[];
  readonly added: AddedLine[];
}

interface OpenHunk {
  /** Lines of each side that are still to come. */
  before: number;
  after: number;
  /** The next one's number after the change. */
  line: number;
}

const hunkStart = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Reads git's unified diff, file by file; files without lines of text are left out. How long a hunk is
 * stands at its beginning, so that no line of a file can pass for the beginning of another.
 */
export function readDiffLines(diff: string): readonly FileLines[] {
  const files: OpenFile[] = [];
  let hunk: OpenHunk = { before: 0, after: 0, line: 0 };
  for (const line of diff.split("\n")) {
    if (hunk.before + hunk.after > 0) {
      takeLine(line, hunk, files.at(-1));
    } else if (line.startsWith("+++ ")) {
      files.push(openFile(line.slice(4)));
    } else {
      hunk = openHunk(line) ?? hunk;
    }
  }
  return files;
}

function takeLine(line: string, hunk: OpenHunk, file: OpenFile | undefined): void {
  const text = line.slice(1).replace(/\r$/, "");
  switch (line[0]) {
    case "-":
      hunk.before -= 1;
      file?.removed.push(text);
      return;
    case "+":
      hunk.after -= 1;
      file?.added.push({ line: hunk.line++, text });
      return;
    // A note that there is no line end.
    case "\\":
      return;
    default:
      hunk.before -= 1;
      hunk.after -= 1;
      hunk.line += 1;
  }
}

function openHunk(line: string): OpenHunk | undefined {
  const [, before = "1", start, after = "1"] = hunkStart.exec(line) ?? [];
  if (start === undefined) return undefined;
  return { before: Number(before), after: Number(after), line: Number(start) };
}

function openFile(name: string): OpenFile {
  const path = (name.startsWith('"') ? unquoted(name) : name).replace(/\t$/, "");
  return { path: path.replace(/^b\//, ""), removed: [], added: [] };
}

/** Git writes a name with signs of its own as C does, other letters byte by byte in octal. */
function unquoted(name: string): string {
  const bytes = name
    .slice(1, -1)
    .replaceAll(/\\([0-7]{3}|.)/g, (_, sign: string) =>
      sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : sign,
    );
  return Buffer.from(bytes, "latin1").toString("utf8");
}
