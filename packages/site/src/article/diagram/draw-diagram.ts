import type { renderMermaidSVG } from "beautiful-mermaid";
import { readDiagram } from "./diagram-source.ts";
import { raiseGroupTitles } from "./group-titles.ts";
import { safeSvg } from "./safe-svg.ts";

/** Draws Mermaid diagrams. Create one per process: it caches drawings in memory. */
export interface Diagrams {
  /** Loads the library; must be called before `draw`. */
  load(): Promise<void>;
  /**
   * Draws the diagram as SVG in the colours of the page (`--_text` and others, see `media.css`). `prefix` is added
   * to its ids. Never throws: a diagram that cannot be drawn has a reason for the author.
   */
  draw(source: string, prefix: string): Drawing | DrawingFailure;
}

export interface Drawing {
  readonly svg: string;
  /** Its title, if the author gave one. */
  readonly title?: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

export interface DrawingFailure {
  readonly reason: string;
}

/** Characters of one drawing. */
const maxBytes = 1_000_000;
/** Characters of cached sources and drawings. */
const maxCachedCharacters = 20_000_000;

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
      const svg = safeSvg(drawn, prefix);
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
    return { reason: reasonOf(error) };
  }
}

/** A reason for the author; internal errors of the library's layout are not shown. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const header = /^Invalid mermaid header: "([^"]{0,60})/.exec(message)?.[1];
  if (header === undefined) return "The drawing library could not lay it out.";
  return `Diagrams that begin with ${JSON.stringify(header)} are not drawn.`;
}
