/** A page's text cut at its frontmatter. Every part of the renderer that reads pages cuts them here. */
export interface FrontmatterBlock {
  /** YAML between the two lines of dashes, without them. */
  readonly yaml: string;
  /** 1-based line of the page on which `yaml` begins. */
  readonly firstLine: number;
  /** Offset at which the page's body begins. */
  readonly bodyStart: number;
}

const openingPattern = /^\uFEFF?---[ \t]*\r?\n/;
const closingPattern = /^---[ \t]*\r?$/gm;

/**
 * The frontmatter of a page: between `---` on its very first line and the next line of `---`.
 * Undefined where there is none, `"unclosed"` where it begins and does not end.
 */
export function frontmatterBlock(source: string): FrontmatterBlock | "unclosed" | undefined {
  const opening = openingPattern.exec(source)?.[0];
  if (opening === undefined) return undefined;
  closingPattern.lastIndex = opening.length;
  const closing = closingPattern.exec(source);
  if (!closing) return "unclosed";
  const afterDashes = closing.index + closing[0].length;
  const bodyStart = source[afterDashes] === "\n" ? afterDashes + 1 : afterDashes;
  return { yaml: source.slice(opening.length, closing.index), firstLine: 2, bodyStart };
}
