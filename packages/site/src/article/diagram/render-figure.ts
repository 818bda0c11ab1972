import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  trustHtml,
  type Html,
  type ContentWords,
} from "../../markup/index.ts";
import type { Drawing } from "./draw-diagram.ts";

/** Pixels below which a wider drawing does not shrink, so that its labels stay readable; on a phone it scrolls. */
const maxMinWidth = 560;

/** Pixels of height above which a drawing has buttons by default. */
const minControlsHeight = 120;

interface FigureParts {
  readonly source: string;
  readonly controls: DiagramControls;
  readonly words: ContentWords;
}

/** An author's settings for a diagram's buttons: the words after `mermaid` in the opening line of its fence. */
interface DiagramControls {
  /** Whether the buttons are shown; if undefined, the height of the drawing decides. */
  readonly isShown?: boolean;
  readonly placement: string;
}

const actions = /(?:^|\s)actions(?:=[{"']?(?<value>\w+)|(?=\s|$))/;
const placement = /(?:^|\s)placement=[{"']*(?<corner>(?:top|bottom)-(?:left|right))\b/;

/** The most characters of the opening line that are read, as for any fence. */
const maxMeta = 1_000;

/**
 * Renders a drawing with an accessible name, and its source below. The reader's script adds buttons with the
 * labels of `data-controls` in the corner of `data-placement`.
 */
export function renderFigure(drawing: Drawing, { source, controls, words }: FigureParts): Html {
  const { svg, width, height, title, description } = drawing;
  const hasControls = controls.isShown ?? height > minControlsHeight;
  const start = joinAttributes({
    class: "diagram",
    "data-controls": hasControls ? JSON.stringify(words.diagramControls) : undefined,
    "data-placement": hasControls ? controls.placement : undefined,
  });
  const label = escapeHtml(title ?? words.diagram);
  const name = description === undefined ? label : html`${label}: ${escapeHtml(description)}`;
  const min = Math.min(maxMinWidth, Math.round(width));
  // The result of `safeSvg`, with more attributes on its root.
  const picture = trustHtml(
    svg.replace(
      "<svg",
      () => html`<svg role="img" aria-label="${name}" style="min-width:${min}px"`,
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

export function readControls(meta: unknown): DiagramControls {
  const text = typeof meta === "string" ? meta.slice(0, maxMeta) : "";
  const asked = actions.exec(text);
  const corner = placement.exec(text)?.groups?.["corner"] ?? "bottom-right";
  if (asked === null) return { placement: corner };
  return { isShown: asked.groups?.["value"] !== "false", placement: corner };
}
