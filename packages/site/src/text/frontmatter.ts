/** A page's frontmatter, between two lines of `---` (YAML) or of `+++` (TOML). */
export interface FrontmatterBlock {
  readonly format: "yaml" | "toml";
  /** The text between the two lines. */
  readonly text: string;
  /** Offset and 1-based line of the page at which `text` begins. */
  readonly textStart: number;
  readonly firstLine: 2;
  /** Offset at which the page's body begins. */
  readonly bodyStart: number;
}

const opening = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/;
const closings = {
  "---": /\n---[ \t]*\r?(?=\n|$)/g,
  "+++": /\n\+\+\+[ \t]*\r?(?=\n|$)/g,
} as const;

/**
 * Cuts a page's text at its frontmatter, which begins on the very first line; a byte order mark may stand
 * before it, and lines may end in CRLF. Undefined where there is none, `"unclosed"` where it does not end.
 */
export function frontmatterBlock(source: string): FrontmatterBlock | "unclosed" | undefined {
  const [line, mark] = opening.exec(source) ?? [];
  if (line === undefined) return undefined;
  const closing = mark === "+++" ? closings["+++"] : closings["---"];
  // The line end of the first line may begin the last one.
  closing.lastIndex = line.length - 1;
  const found = closing.exec(source);
  if (!found) return "unclosed";
  const end = found.index + found[0].length;
  return {
    format: mark === "+++" ? "toml" : "yaml",
    text: source.slice(line.length, found.index + 1),
    textStart: line.length,
    firstLine: 2,
    bodyStart: source[end] === "\n" ? end + 1 : end,
  };
}

/** Offset at which a page's body begins: after its frontmatter, or 0 if it has none or it does not end. */
export function frontmatterEnd(source: string): number {
  const block = frontmatterBlock(source);
  return typeof block === "object" ? block.bodyStart : 0;
}
