import { escapeHtml } from "../../components/html.ts";
import type { PageWords } from "../page-words.ts";
import type { Drawing } from "./draw-diagram.ts";

/** Drawings that are wider than this scroll on a phone, for their labels would be too small to read. */
const readableWidth = 560;

/** A drawing with its name for those who do not see it, and its source below for whoever wants it. */
export function renderFigure(drawing: Drawing, source: string, words: PageWords): string {
  const { svg, width, title } = drawing;
  const label = escapeHtml(title ?? words.diagram);
  const least = Math.min(readableWidth, Math.round(width));
  const picture = svg.replace(
    "<svg",
    `<svg role="img" aria-label="${label}" style="min-width:${least}px"`,
  );
  const caption = title === undefined ? "" : `<figcaption>${label}</figcaption>`;
  return (
    `<figure class="diagram"><div class="diagram-drawing" tabindex="0">${picture}</div>${caption}` +
    `<details class="diagram-source"><summary>${escapeHtml(words.diagramSource)}</summary>` +
    `<pre tabindex="0"><code>${escapeHtml(source.trim())}</code></pre></details></figure>`
  );
}
