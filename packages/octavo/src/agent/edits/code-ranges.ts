/** Fenced code blocks of a Markdown text, as `[start, end)`; what is in them is shown, not followed. */
export type CodeRanges = readonly (readonly [start: number, end: number])[];

const fencePattern = /^[ \t>]*(`{3,}|~{3,})([^\n]*)/;

export function codeRanges(text: string): CodeRanges {
  const ranges: [number, number][] = [];
  let open: { readonly start: number; readonly mark: string } | undefined;
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline + 1;
    const fence = fencePattern.exec(text.slice(start, Math.min(end, start + 1_000)));
    const mark = fence?.[1] ?? "";
    if (open === undefined && mark !== "") {
      open = { start, mark };
    } else if (open !== undefined && closes(open.mark, mark, fence?.[2] ?? "")) {
      ranges.push([open.start, end]);
      open = undefined;
    }
    start = end;
  }
  if (open) ranges.push([open.start, text.length]);
  return ranges;
}

function closes(open: string, mark: string, rest: string): boolean {
  return mark.startsWith(open) && rest.trim() === "";
}

/** Whether an offset stands in code, by bisection. */
export function isInCode(ranges: CodeRanges, offset: number): boolean {
  let [low, high] = [0, ranges.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const [start, end] = ranges[middle] ?? [0, 0];
    if (offset < start) high = middle - 1;
    else if (offset >= end) low = middle + 1;
    else return true;
  }
  return false;
}
