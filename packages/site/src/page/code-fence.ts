/** A fence that is open: its character, its length, and how many `>` stood before it. */
export interface OpenFence {
  readonly char: string;
  readonly length: number;
  readonly quotes: number;
}

/** Quote and list markers, then three or more backticks or tildes. */
const opening = /^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})(.*)$/;

/**
 * Reads `line` while `open` is the state of the lines before: what is open after it, and whether the
 * line itself is code (its fences included). MDX has no code by indentation, so a fence may stand at
 * any depth.
 */
export function readFenceLine(
  line: string,
  open: OpenFence | undefined,
): { readonly open: OpenFence | undefined; readonly isCode: boolean } {
  if (open) {
    if (open.quotes > 0 && countQuotes(line) < open.quotes) return readFenceLine(line, undefined);
    return { open: closes(line, open) ? undefined : open, isCode: true };
  }
  if (!mayBeFence(line)) return { open: undefined, isCode: false };
  const match = opening.exec(line);
  const fence = match?.[2];
  if (fence === undefined) return { open: undefined, isCode: false };
  const char = fence.charAt(0);
  if (char === "`" && match?.[3]?.includes("`")) return { open: undefined, isCode: false };
  return {
    open: { char, length: fence.length, quotes: countQuotes(match?.[1] ?? "") },
    isCode: true,
  };
}

/** False for nearly every line, before any expression runs. */
function mayBeFence(line: string): boolean {
  return line.includes("```") || line.includes("~~~");
}

function closes(line: string, open: OpenFence): boolean {
  if (!mayBeFence(line)) return false;
  const text = line.trim().replace(/^[> \t]+/, "");
  if (text.length < open.length) return false;
  for (const char of text) if (char !== open.char) return false;
  return true;
}

/** `>` among the leading markers of a line. */
function countQuotes(line: string): number {
  let count = 0;
  for (const char of line) {
    if (char === ">") count++;
    else if (char !== " " && char !== "\t" && !/[-*+\d.)]/.test(char)) break;
  }
  return count;
}
