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
  parseFence,
  renderCodeBlock,
  type Highlighter,
} from "../highlight/index.ts";
import type { MarkdownNode, FilePosition } from "../page/index.ts";
import { readControls, renderFigure } from "./diagram/render-figure.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";
import type { PageProblems } from "./page-problems.ts";

export interface PageCodeOptions {
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly words: ContentWords;
  readonly problems: PageProblems;
  readonly renderIcon: (
    name: string | undefined,
    options: IconOptions,
    place: FilePosition,
  ) => Html;
}

/** Renders the code blocks of one page: highlighted, or drawn if they describe a diagram. */
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
    return renderCodeBlock(node, { highlighter: this.#options.highlighter, title });
  }

  /** Draws the block. Returns undefined if it is not a diagram, or cannot be drawn, which is reported. */
  #drawing(node: MarkdownNode<"code">): Html | undefined {
    if (node.lang === undefined || !isDiagramLanguage(parseFence(node).language)) return undefined;
    const { diagrams, words, problems } = this.#options;
    const drawing = diagrams.draw(node.value, `diagram-${++this.#diagramCount}-`);
    if ("svg" in drawing) {
      const controls = readControls(node.meta);
      return renderFigure(drawing, { source: node.value, controls, words });
    }
    const message = `This diagram cannot be drawn; its source is shown. ${drawing.reason}`.trim();
    problems.warn("diagram_not_rendered", message, node.place);
    return undefined;
  }
}
