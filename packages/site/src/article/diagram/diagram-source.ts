import { frontmatterBlock } from "../../text/index.ts";

/** A diagram as the drawing library expects it. */
export interface DiagramSource {
  readonly text: string;
  /** `title` of its frontmatter, or its `accTitle`. */
  readonly title?: string;
}

/** Limits of a diagram: the time of its layout grows with the square of its edges. */
const limits = { length: 50_000, lines: 600, edges: 300, lineLength: 2_000, joined: 40 };

const directive = /^[ \t]*%%\{[^]*?\}%%[ \t]*$/gm;
const arrow = /(?:--|==|-\.|\.\.|<\||\|>|->|~~)/;

/**
 * Removes what the library does not read: frontmatter and theme directives. Returns a sentence for the author
 * instead if the diagram is too large to be drawn.
 */
export function readDiagram(source: string): DiagramSource | string {
  if (source.length > limits.length) return `It is longer than ${limits.length} characters.`;
  const block = frontmatterBlock(source);
  const head = typeof block === "object" ? block : undefined;
  const body = source.slice(head?.bodyStart).replaceAll(directive, "");
  const lines = body.split("\n");
  if (lines.length > limits.lines) return `It has more than ${limits.lines} lines.`;
  if (lines.some((line) => line.length > limits.lineLength)) {
    return `It has a line of more than ${limits.lineLength} characters.`;
  }
  // A sequence diagram is laid out line by line; in other diagrams each line is an edge to be routed.
  const isSequence = /^\s*sequenceDiagram\b/.test(body);
  const edges = lines.filter((line) => arrow.test(line)).length;
  if (!isSequence && edges > limits.edges) return `It has more than ${limits.edges} edges.`;
  // `A & B --> C & D` means every pair.
  if (body.split("&").length > limits.joined)
    return `It joins more than ${limits.joined} nodes with "&".`;
  const title = titleOf(head?.text ?? "", body);
  return { text: `${body.trim()}\n`, ...(title === undefined ? {} : { title }) };
}

function titleOf(head: string, body: string): string | undefined {
  const found =
    /^title:[ \t]*(\S[^\n]*)$/m.exec(head)?.[1] ??
    /^[ \t]*accTitle:[ \t]*(\S[^\n]*)$/m.exec(body)?.[1];
  return found?.trim().replace(/^(["'])(.*)\1$/, "$2");
}
