import type { ComponentCode } from "../components/index.ts";
import {
  escapeHtml,
  html,
  type ContentWords,
  type Html,
  type IconOptions,
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
import { readControls, renderFigure, renderLiveFigure } from "./diagram/render-figure.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";

export interface PageCodeOptions {
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly words: ContentWords;
  readonly problems: ProblemList;
  readonly renderIcon: (
    name: string | undefined,
    options: IconOptions,
    place: FilePosition,
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
    return this.#drawing(node) ?? this.#block(node, "");
  }

  /** Renders a block with its title and icon above it. */
  renderTitled(node: MarkdownNode<"code">): Html {
    const drawing = this.#drawing(node);
    if (drawing !== undefined) return drawing;
    const { language, title } = parseFence(node);
    const isSource = isDiagramLanguage(language) && title === "";
    return this.#block(
      node,
      html`${this.icon(node)}${escapeHtml(isSource ? this.#options.words.diagramSource : title)}`,
    );
  }

  label(node: MarkdownNode<"code">): string {
    const { title, language } = parseFence(node);
    return title === "" ? language : title;
  }

  icon(node: MarkdownNode<"code">): Html {
    const { icon, iconType } = parseFence(node);
    const options = iconType === undefined ? {} : { type: iconType };
    return this.#options.renderIcon(icon, options, node.place);
  }

  #block(node: MarkdownNode<"code">, title: Html): Html {
    if (isInfoTruncated(node)) {
      const message = `The text after the opening fence of this code is longer than ${maxMetaLength} characters; the rest has no effect.`;
      this.#options.problems.warn("code_settings_too_long", message, node.place);
    }
    return renderCodeBlock(node, { highlighter: this.#options.highlighter, title });
  }

  /** Renders a block as a diagram. Undefined if it is not a diagram, or if Mermaid rejects it, which is reported. */
  #drawing(node: MarkdownNode<"code">): Html | undefined {
    if (node.lang === undefined || !isDiagramLanguage(parseFence(node).language)) return undefined;
    const { diagrams, words, problems } = this.#options;
    const drawing = diagrams.draw(node.value, `diagram-${++this.#diagramCount}-`);
    const parts = { source: node.value, controls: readControls(node.meta), words };
    if ("svg" in drawing) return renderFigure(drawing, parts);
    const placeOf = (at: number): FilePosition => ({
      ...node.place,
      line: node.place.line + at + 1,
    });
    if ("isLive" in drawing) {
      for (const { name, line } of drawing.omissions) {
        const message = `This diagram is drawn without "${name}", which the bundle does not contain.`;
        problems.warn("diagram_not_rendered", message, placeOf(line));
      }
      return renderLiveFigure(drawing, parts);
    }
    const message = `This diagram cannot be drawn; its source is shown. ${drawing.reason}`;
    const place = drawing.line === undefined ? node.place : placeOf(drawing.line);
    problems.warn("diagram_not_rendered", message, place);
    return undefined;
  }
}
