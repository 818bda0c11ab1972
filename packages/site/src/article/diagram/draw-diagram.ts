import type { renderMermaidSVG } from "beautiful-mermaid";
import { readDiagram } from "./diagram-source.ts";
import { raiseGroupTitles } from "./group-titles.ts";
import { safeSvg } from "./safe-svg.ts";

/** Draws Mermaid diagrams. One per process: drawings are kept for its life. */
export interface Diagrams {
  /** Loads what `draw` needs; pages without diagrams pay nothing. */
  load(): Promise<void>;
  /**
   * The diagram as SVG in colours of the page (`--_text` and others, see `media.css`). `prefix` goes before
   * its ids. Never throws: what cannot be drawn has a reason, as sentences.
   */
  draw(source: string, prefix: string): Drawing | DrawingFailure;
}

export interface Drawing {
  readonly svg: string;
  /** What the author calls it. */
  readonly title?: string;
  /** Pixels. */
  readonly width: number;
  /** Pixels. */
  readonly height: number;
}

export interface DrawingFailure {
  readonly reason: string;
}

/** A larger drawing is a page of its own. */
const maxBytes = 1_000_000;
/** Drawings kept, in characters. */
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
      if (svg === undefined) return { reason: "Its drawing holds what a picture must not." };
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

/** The library's own words where they are for people; inner errors of its layout are not. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const header = /^Invalid mermaid header: "([^"]{0,60})/.exec(message)?.[1];
  if (header === undefined) return "The drawing library could not lay it out.";
  return `Diagrams that begin with ${JSON.stringify(header)} are not drawn.`;
}
