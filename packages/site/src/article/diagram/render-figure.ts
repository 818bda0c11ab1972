import {
  attributes,
  escapeHtml,
  html,
  joinHtml,
  trustedHtml,
  type Html,
} from "../../markup/index.ts";
import type { ContentWords } from "../../markup/index.ts";
import type { DiagramControls } from "./diagram-controls.ts";
import type { Drawing } from "./draw-diagram.ts";

/** Drawings that are wider than this scroll on a phone, for their labels would be too small to read. */
const maxMinWidth = 560;

/** Pixels of height from which a drawing has buttons where its author does not say. */
const minControlsHeight = 120;

export interface FigureParts {
  readonly source: string;
  readonly controls: DiagramControls;
  readonly words: ContentWords;
}

/**
 * A drawing with its name for those who do not see it, and its source below for whoever wants it. The reader's
 * script finds `data-controls` and puts the buttons whose labels it holds in the corner of `data-placement`.
 */
export function renderFigure(drawing: Drawing, { source, controls, words }: FigureParts): Html {
  const { svg, width, height, title } = drawing;
  const hasControls = controls.isShown ?? height > minControlsHeight;
  const start = attributes({
    class: "diagram",
    "data-controls": hasControls ? JSON.stringify(words.diagramControls) : undefined,
    "data-placement": hasControls ? controls.placement : undefined,
  });
  const label = escapeHtml(title ?? words.diagram);
  const min = Math.min(maxMinWidth, Math.round(width));
  // What `safeSvg` let through, with more attributes of its root.
  const picture = trustedHtml(
    svg.replace(
      "<svg",
      () => html`<svg role="img" aria-label="${label}" style="min-width:${min}px"`,
    ),
  );
  const caption = title === undefined ? "" : html`<figcaption>${label}</figcaption>`;
  const code = html`<pre tabindex="0"><code>${escapeHtml(source.trim())}</code></pre>`;
  return joinHtml([
    html`<figure${start}><div class="diagram-drawing" tabindex="0">${picture}</div>${caption}`,
    html`<details class="diagram-source"><summary>${escapeHtml(words.diagramSource)}</summary>`,
    html`${code}</details></figure>`,
  ]);
}
