import type { renderMermaidSVG } from "beautiful-mermaid";
import { findFrontmatter } from "../../text/index.ts";
import { sanitizeSvg } from "./safe-svg.ts";

/** Draws Mermaid diagrams. Create one per process: it caches drawings in memory. */
export interface Diagrams {
  /** Loads the library; must be called before `draw`. */
  load(): Promise<void>;
  /**
   * Draws the diagram as SVG in the colors of the page (`--_text` and others, see `media.css`). `prefix` is added
   * to its ids. Never throws: for a diagram that cannot be drawn, returns a reason for the author.
   */
  draw(source: string, prefix: string): Drawing | DrawingFailure;
}

export interface Drawing {
  readonly svg: string;
  /** The diagram's title, if the author gave one. */
  readonly title?: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

interface DrawingFailure {
  readonly reason: string;
}

/** The most characters of one drawing. */
const maxBytes = 1_000_000;
/** The most characters of cached sources and drawings. */
const maxCachedCharacters = 20_000_000;

/** A diagram as the drawing library expects it. */
interface DiagramSource {
  readonly text: string;
  /** `title` of its frontmatter, or its `accTitle`. */
  readonly title?: string;
}

/** Limits of a diagram: the time of its layout grows with the square of its edges. */
const sourceLimits = { length: 50_000, lines: 600, edges: 300, lineLength: 2_000, joined: 40 };

const directive = /^[ \t]*%%\{[^]*?\}%%[ \t]*$/gm;
const arrow = /(?:--|==|-\.|\.\.|<\||\|>|->|~~)/;

const titledGroup =
  /(<g><rect[^>]*\/><rect[^>]* fill="var\(--_group-hdr\)"[^>]*\/>)(<text\b(?:(?!<\/text>)[^])*<\/text>)/g;

export function createDiagrams(): Diagrams {
  let render: typeof renderMermaidSVG | undefined;
  const cache = new Map<string, string | DrawingFailure>();
  let cachedCharacters = 0;

  function drawOnce(text: string): string | DrawingFailure {
    const cached = cache.get(text);
    if (cached !== undefined) return cached;
    const drawn = render === undefined ? { reason: "" } : drawText(render, text);
    cachedCharacters += text.length + (typeof drawn === "string" ? drawn.length : 0);
    if (cachedCharacters < maxCachedCharacters) cache.set(text, drawn);
    return drawn;
  }

  return {
    async load() {
      render ??= (await import("beautiful-mermaid")).renderMermaidSVG;
    },
    draw(source, prefix) {
      const diagram = readDiagram(source);
      if (typeof diagram === "string") return { reason: diagram };
      const drawn = drawOnce(diagram.text);
      if (typeof drawn !== "string") return drawn;
      const svg = sanitizeSvg(drawn, prefix);
      if (svg === undefined) return { reason: "Its drawing contains unsafe elements." };
      const { title } = diagram;
      const width = Number(/ width="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      const height = Number(/ height="([\d.]+)"/.exec(svg)?.[1] ?? 0);
      const named = title === undefined ? {} : { title };
      return { svg: raiseGroupTitles(svg), width, height, ...named };
    },
  };
}

function drawText(render: typeof renderMermaidSVG, text: string): string | DrawingFailure {
  try {
    const svg = render(text, { transparent: true, padding: 8 });
    if (svg.length > maxBytes) return { reason: "Its drawing is larger than 1 MB." };
    return svg.includes("NaN") ? { reason: "The drawing library could not lay it out." } : svg;
  } catch (error) {
    return { reason: getReason(error) };
  }
}

/** Returns a reason for the author; internal errors of the library's layout are not shown. */
function getReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const header = /^Invalid mermaid header: "([^"]{0,60})/.exec(message)?.[1];
  if (header === undefined) return "The drawing library could not lay it out.";
  return `Diagrams that begin with ${JSON.stringify(header)} are not drawn.`;
}

/**
 * Removes frontmatter and theme directives, which the library does not read. If the diagram is too large to be drawn,
 * returns a sentence for the author instead.
 */
function readDiagram(source: string): DiagramSource | string {
  if (source.length > sourceLimits.length)
    return `It is longer than ${sourceLimits.length} characters.`;
  const block = findFrontmatter(source);
  const head = typeof block === "object" ? block : undefined;
  const body = source.slice(head?.bodyStart).replaceAll(directive, "");
  const lines = body.split("\n");
  if (lines.length > sourceLimits.lines) return `It has more than ${sourceLimits.lines} lines.`;
  if (lines.some((line) => line.length > sourceLimits.lineLength)) {
    return `It has a line of more than ${sourceLimits.lineLength} characters.`;
  }
  // A sequence diagram is laid out line by line; in other diagrams each line is an edge to be routed.
  const isSequence = /^\s*sequenceDiagram\b/.test(body);
  const edges = lines.filter((line) => arrow.test(line)).length;
  if (!isSequence && edges > sourceLimits.edges)
    return `It has more than ${sourceLimits.edges} edges.`;
  // `A & B --> C & D` means every pair.
  if (body.split("&").length > sourceLimits.joined)
    return `It joins more than ${sourceLimits.joined} nodes with "&".`;
  const title = findTitle(head?.text ?? "", body);
  return { text: `${body.trim()}\n`, ...(title === undefined ? {} : { title }) };
}

function findTitle(head: string, body: string): string | undefined {
  const found =
    /^title:[ \t]*(\S[^\n]*)$/m.exec(head)?.[1] ??
    /^[ \t]*accTitle:[ \t]*(\S[^\n]*)$/m.exec(body)?.[1];
  return found?.trim().replace(/^(["'])(.*)\1$/, "$2");
}

/** Moves the titles of groups in front of the edges that cross them, with an outline in the background color. */
function raiseGroupTitles(svg: string): string {
  // Titles moved out of a group with a transform would lose it.
  if (svg.includes(" transform=")) return svg;
  let titles = "";
  const rest = svg.replaceAll(titledGroup, (_, box: string, title: string) => {
    titles += title.replace(
      "<text",
      '<text paint-order="stroke" stroke="var(--_group-hdr)" stroke-width="6" stroke-linejoin="round"',
    );
    return box;
  });
  return titles === "" ? svg : rest.replace(/<\/svg>\s*$/, `${titles}</svg>`);
}
