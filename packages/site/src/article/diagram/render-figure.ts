import {
  joinAttributes,
  escapeHtml,
  html,
  joinHtml,
  trustHtml,
  type Html,
  type ContentWords,
} from "../../markup/index.ts";
import type { DiagramNames, Drawing, LiveDiagram } from "./draw-diagram.ts";

/** The width in pixels to which wider drawings may shrink, so labels stay readable. On a phone, they scroll. */
const maxMinWidth = 560;

/** The height in pixels above which a drawing has buttons by default. */
const minControlsHeight = 120;

interface FigureParts {
  readonly source: string;
  readonly controls: DiagramControls;
  readonly words: ContentWords;
}

/** The author's settings for a diagram's buttons: the words after `mermaid` in the opening line of its fence. */
interface DiagramControls {
  /** Whether the buttons are shown. If undefined, this depends on the height of the drawing. */
  readonly isShown?: boolean;
  readonly placement: string;
}

const actions = /(?:^|\s)actions(?:=[{"']?(?<value>\w+)|(?=\s|$))/;
const placement = /(?:^|\s)placement=[{"']*(?<corner>(?:top|bottom)-(?:left|right))\b/;

/** The maximum number of characters that are read from the opening line, as for any fence. */
const maxMeta = 1_000;

/**
 * Renders a drawing with an accessible name and with its source below it. The client script adds buttons with the
 * labels in `data-controls` to the corner in `data-placement`.
 */
export function renderFigure(drawing: Drawing, parts: FigureParts): Html {
  const { svg, width, height } = drawing;
  const hasControls = parts.controls.isShown ?? height > minControlsHeight;
  const start = joinAttributes({ class: "diagram", ...(hasControls ? listControls(parts) : {}) });
  const min = Math.min(maxMinWidth, Math.round(width));
  const name = escapeHtml(getAccessibleName(drawing, parts));
  // The drawing comes from `sanitizeSvg`; only attributes are added to its root.
  const picture = trustHtml(
    svg.replace(
      "<svg",
      () => html`<svg role="img" aria-label="${name}" style="min-width:${min}px"`,
    ),
  );
  return joinHtml([
    html`<figure${start}><div class="diagram-drawing" tabindex="0">${picture}</div>`,
    renderCaption(drawing),
    html`<details class="diagram-source">${renderSource(parts)}</details></figure>`,
  ]);
}

/**
 * Renders the source of a diagram that Mermaid draws in the reader's browser (`theme/client/live-diagrams/`). Drawings
 * get buttons if their height exceeds `data-controls-from`.
 */
export function renderLiveFigure(diagram: LiveDiagram, parts: FigureParts): Html {
  const { isShown } = parts.controls;
  const start = joinAttributes({
    class: "diagram diagram-live",
    "data-label": getAccessibleName(diagram, parts),
    "data-controls-from": isShown === false ? undefined : String(isShown ? 0 : minControlsHeight),
    ...(isShown === false ? {} : listControls(parts)),
  });
  return joinHtml([
    html`<figure${start}>${renderCaption(diagram)}`,
    html`<details class="diagram-source" open>${renderSource(parts)}</details></figure>`,
  ]);
}

function listControls({ controls, words }: FigureParts): Readonly<Record<string, string>> {
  return {
    "data-controls": JSON.stringify(words.diagramControls),
    "data-placement": controls.placement,
  };
}

function getAccessibleName({ title, description }: DiagramNames, { words }: FigureParts): string {
  const label = title ?? words.diagram;
  return description === undefined ? label : `${label}: ${description}`;
}

function renderCaption({ title }: DiagramNames): Html {
  return title === undefined ? "" : html`<figcaption>${escapeHtml(title)}</figcaption>`;
}

function renderSource({ source, words }: FigureParts): Html {
  const code = html`<pre tabindex="0"><code>${escapeHtml(source.trim())}</code></pre>`;
  return html`<summary>${escapeHtml(words.diagramSource)}</summary>${code}`;
}

export function readControls(meta: unknown): DiagramControls {
  const text = typeof meta === "string" ? meta.slice(0, maxMeta) : "";
  const asked = actions.exec(text);
  const corner = placement.exec(text)?.groups?.["corner"] ?? "bottom-right";
  if (asked === null) return { placement: corner };
  return { isShown: asked.groups?.["value"] !== "false", placement: corner };
}
