import type { ComponentCode } from "../components/index.ts";
import {
  escapeHtml,
  html,
  type ContentWords,
  type Html,
  type IconOptions,
  joinAttributes,
  joinHtml,
  trustHtml,
} from "../markup/index.ts";
import {
  isDiagramLanguage,
  isInfoTruncated,
  maxMetaLength,
  parseFence,
  renderCodeBlock,
  type Highlighter,
} from "../highlight/index.ts";
import type { MarkdownNode, FilePosition, ProblemList } from "../page/index.ts";
import type { Diagrams, DiagramNames, Drawing, LiveDiagram } from "./diagram/draw-diagram.ts";

export interface PageCodeOptions {
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly words: ContentWords;
  readonly problems: ProblemList;
  readonly renderIcon: (
    name: string | undefined,
    options: IconOptions,
    position: FilePosition,
  ) => Html;
}

/** Renders the code blocks of one page, either highlighted or, if they describe a diagram, drawn. */
export class PageCode implements ComponentCode {
  readonly #options: PageCodeOptions;
  #diagramCount = 0;

  constructor(options: PageCodeOptions) {
    this.#options = options;
  }

  render(node: MarkdownNode<"code">): Html {
    return this.#renderDrawing(node) ?? this.#renderBlock(node, "");
  }

  /** Renders a block with its title and icon above it. */
  renderTitled(node: MarkdownNode<"code">): Html {
    const drawing = this.#renderDrawing(node);
    if (drawing !== undefined) return drawing;
    const { language, title } = parseFence(node);
    const isSource = isDiagramLanguage(language) && title === "";
    return this.#renderBlock(
      node,
      html`${this.renderIcon(node)}${escapeHtml(isSource ? this.#options.words.diagramSource : title)}`,
    );
  }

  getLabel(node: MarkdownNode<"code">): string {
    const { title, language } = parseFence(node);
    return title === "" ? language : title;
  }

  renderIcon(node: MarkdownNode<"code">): Html {
    const { icon, iconType } = parseFence(node);
    const options = iconType === undefined ? {} : { type: iconType };
    return this.#options.renderIcon(icon, options, node.position);
  }

  #renderBlock(node: MarkdownNode<"code">, title: Html): Html {
    if (isInfoTruncated(node)) {
      const message = `The text after the opening fence of this code is longer than ${maxMetaLength} characters; the rest has no effect.`;
      this.#options.problems.warn("code_settings_too_long", message, node.position);
    }
    return renderCodeBlock(node, { highlighter: this.#options.highlighter, title });
  }

  /**
   * Renders a block as a diagram. Returns undefined if it is not a diagram, or if Mermaid rejects it, which is
   * reported.
   */
  #renderDrawing(node: MarkdownNode<"code">): Html | undefined {
    if (node.lang === undefined || !isDiagramLanguage(parseFence(node).language)) return undefined;
    const { diagrams, words, problems } = this.#options;
    const drawing = diagrams.draw(node.value, `diagram-${++this.#diagramCount}-`);
    const parts = { source: node.value, controls: readControls(node.meta), words };
    if ("svg" in drawing) return renderFigure(drawing, parts);
    const locateLine = (at: number): FilePosition => ({
      ...node.position,
      line: node.position.line + at + 1,
    });
    if ("isLive" in drawing) {
      for (const { name, line } of drawing.omissions) {
        const message = `This diagram is drawn without "${name}", which the bundle does not contain.`;
        problems.warn("diagram_not_rendered", message, locateLine(line));
      }
      return renderLiveFigure(drawing, parts);
    }
    const message = `This diagram cannot be drawn; its source is shown. ${drawing.reason}`;
    const position = drawing.line === undefined ? node.position : locateLine(drawing.line);
    problems.warn("diagram_not_rendered", message, position);
    return undefined;
  }
}

/**
 * The minimum width in pixels to which wider drawings may shrink, so that labels stay readable. On phones, such
 * drawings scroll.
 */
const minReadableWidth = 560;

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

const actionsPattern = /(?:^|\s)actions(?:=[{"']?(?<value>\w+)|(?=\s|$))/;
const placementPattern = /(?:^|\s)placement=[{"']*(?<corner>(?:top|bottom)-(?:left|right))\b/;

/** The maximum number of characters that are read from the opening line, as for any fence. */
const maxMeta = 1_000;

/**
 * Renders a drawing with an accessible name and with its source below it. The client script adds buttons with the
 * labels in `data-controls` to the corner in `data-placement`.
 */
function renderFigure(drawing: Drawing, parts: FigureParts): Html {
  const { svg, width, height } = drawing;
  const hasControls = parts.controls.isShown ?? height > minControlsHeight;
  const attributes = joinAttributes({
    class: "diagram",
    ...(hasControls ? listControls(parts) : {}),
  });
  const minWidth = Math.min(minReadableWidth, Math.round(width));
  const name = escapeHtml(getAccessibleName(drawing, parts));
  // This is safe because the drawing comes from `sanitizeSvg` and only attributes are added to its root.
  const picture = trustHtml(
    svg.replace(
      "<svg",
      () => html`<svg role="img" aria-label="${name}" style="min-width:${minWidth}px"`,
    ),
  );
  return joinHtml([
    html`<figure${attributes}><div class="diagram-drawing" tabindex="0">${picture}</div>`,
    renderCaption(drawing),
    html`<details class="diagram-source">${renderSource(parts)}</details></figure>`,
  ]);
}

/**
 * Renders the source of a diagram that Mermaid draws in the reader's browser (`theme/client/live-diagrams/`). Drawings
 * get buttons if their height exceeds `data-controls-from`.
 */
function renderLiveFigure(diagram: LiveDiagram, parts: FigureParts): Html {
  const { isShown } = parts.controls;
  const attributes = joinAttributes({
    class: "diagram diagram-live",
    "data-label": getAccessibleName(diagram, parts),
    "data-controls-from": isShown === false ? undefined : String(isShown ? 0 : minControlsHeight),
    ...(isShown === false ? {} : listControls(parts)),
  });
  return joinHtml([
    html`<figure${attributes}>${renderCaption(diagram)}`,
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
  const actionsMatch = actionsPattern.exec(text);
  const corner = placementPattern.exec(text)?.groups?.["corner"] ?? "bottom-right";
  if (actionsMatch === null) return { placement: corner };
  return { isShown: actionsMatch.groups?.["value"] !== "false", placement: corner };
}
