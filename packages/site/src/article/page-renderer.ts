import type { Component, IconOptions } from "../components/index.ts";
import { escapeHtml } from "../markup/index.ts";
import { iconDrawing, iconImage, type IconRenderer } from "../components/index.ts";
import { limits } from "../core/index.ts";
import type { Problem } from "../core/index.ts";
import { renderCodeBlock, parseFence, type Fence, isDiagramLanguage } from "../highlight/index.ts";
import type { Highlighter } from "../highlight/index.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";
import { readControls } from "./diagram/diagram-controls.ts";
import { renderFigure } from "./diagram/render-figure.ts";
import type { Formulas } from "./formula/typeset-formula.ts";
import type { ChangelogEntry, OutlineEntry, Reference } from "../page/index.ts";
import type { ContentWords } from "../markup/index.ts";
import {
  isElement,
  isJsxProp,
  isListProp,
  isTreeNode,
  type ElementNode,
  type MarkdownNode,
  type Place,
  type PropValue,
  type TreeNode,
} from "../page/index.ts";
import { Footnotes } from "./footnotes.ts";
import { assignHeadingIds, type AssignedIds } from "./heading-ids.ts";
import { HtmlSize } from "./html-size.ts";
import { renderElement } from "./html-elements.ts";
import { parseInlineValue } from "./inline-value.ts";
import { layoutIds } from "./layout-ids.ts";
import {
  addressOf,
  leadsOut,
  resolveLink,
  resolveMedia,
  type Resolution,
  type SiteLinks,
} from "../site/index.ts";
import { renderMarkdown } from "./markdown-nodes.ts";
import { PageIds } from "./page-ids.ts";
import { plainText } from "./plain-text.ts";
import type { HeadingIds, NodeRenderer } from "./renderer.ts";
import { slugOf } from "../text/index.ts";
import { identifierOf, type HeadingNode, type Survey } from "./survey.ts";

export interface PageRendererOptions {
  readonly links: SiteLinks;
  /** `SitePage.path` */
  readonly path: string;
  readonly survey: Survey;
  readonly components: ReadonlyMap<string, Component>;
  readonly icons: IconRenderer;
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly formulas: Formulas;
  readonly words: ContentWords;
  /** The heading that is shown as the page's title, above what is rendered here. */
  readonly titleHeading?: TreeNode | undefined;
}

/**
 * Levels of rendering: what an author may nest, and a little for paragraphs and snippets around it. Rendering
 * recurses; before its functions are compiled, the stack ends between 750 and 1,000 levels.
 */
const maxDepth = limits.nesting + 100;
/** A page with more problems is told about once. */
const maxProblems = 500;
const deepestOutlineLevel = 4;
/** What an element's tags take at least; its attributes and content are counted by themselves. */
const elementBytes = 16;

/** One page being rendered: keeps what the page is found to hold while its nodes become HTML. */
export class PageRenderer implements NodeRenderer {
  readonly outline: OutlineEntry[] = [];
  readonly references: Reference[] = [];
  readonly changes: ChangelogEntry[] = [];
  readonly problems: Problem[] = [];
  readonly icons = new Set<string>();
  readonly #options: PageRendererOptions;
  readonly #ids = new PageIds();
  readonly #size: HtmlSize;
  readonly #assigned: AssignedIds;
  readonly #footnotes: Footnotes;
  readonly #tagNumbers = new Map<string, number>();
  #titleHtml: string | undefined;
  #depth = 0;
  #linkDepth = 0;
  #unlistedDepth = 0;
  #entryDepth = 0;
  #hasPicture = false;
  #diagramCount = 0;

  constructor(options: PageRendererOptions) {
    this.#options = options;
    this.#size = new HtmlSize(options.path);
    this.#assigned = assignHeadingIds(options.survey, this.#ids);
    this.#footnotes = new Footnotes(options.survey.footnotes);
  }

  get anchors(): readonly string[] {
    return this.#ids.shown;
  }

  /** Inner HTML of the heading that is the page's title, once that was met. */
  get titleHtml(): string | undefined {
    return this.#titleHtml;
  }

  renderNodes(nodes: readonly TreeNode[]): string {
    if (this.#depth >= maxDepth) return this.#refuseDepth(nodes);
    this.#depth++;
    let html = "";
    for (const node of nodes) {
      // Badges and links on lines of their own stand apart, as the line ends between them do.
      if (html !== "" && isElement(node) && node.isFlow) html += "\n";
      html += this.#renderNode(node);
    }
    this.#depth--;
    return html;
  }

  /** The notes that were referred to, after the page's content. */
  renderFootnotes(): string {
    return this.#footnotes.render(this);
  }

  renderValue(value: PropValue | undefined, place: Place): string {
    if (value === undefined || value === null) return "";
    if (typeof value === "string") {
      const nodes = parseInlineValue(value, place);
      return nodes === undefined ? this.#count(escapeHtml(value)) : this.renderNodes(nodes);
    }
    if (typeof value !== "object") return String(value);
    if (isJsxProp(value)) return this.renderNodes(value.nodes);
    if (!isListProp(value)) return "";
    return value.map((entry) => this.renderValue(entry, place)).join("");
  }

  href(target: string, place: Place): string {
    return escapeHtml(this.link(target, place).href);
  }

  mediaUrl(target: string, place: Place): string {
    return escapeHtml(this.media(target, place).src);
  }

  icon(icon: PropValue | undefined, options: IconOptions, place: Place): string {
    if (isJsxProp(icon)) return iconDrawing(icon.nodes, this.renderNodes(icon.nodes), options);
    const { html, key, image, problem } = this.#options.icons(icon, options);
    if (key !== undefined) this.icons.add(key);
    if (problem !== undefined && this.problems.length < maxProblems)
      this.warn("unknown_icon", problem(), place);
    if (image === undefined) return html;
    const { src } = this.media(image, place);
    return src === "" ? "" : iconImage(src, options);
  }

  claimId(text: string, options: { readonly isExact?: boolean } = {}): string {
    const exact = options.isExact === true ? text.normalize("NFC") : undefined;
    const isFree = exact !== undefined && !layoutIds.has(exact);
    if (isFree && this.#ids.show(exact)) return exact;
    const id = this.#ids.claim(exact ?? slugOf(text));
    this.#ids.show(id);
    return id;
  }

  renderCode(node: MarkdownNode<"code">): string {
    return this.#drawing(node) ?? renderCodeBlock(node, { ...this.#options, title: "" });
  }

  codeLabel(node: MarkdownNode<"code">): string {
    const { title, language } = parseFence(node);
    return title === "" ? language : title;
  }

  codeIcon(node: MarkdownNode<"code">): string {
    return this.#fenceIcon(parseFence(node), node.place);
  }

  textOf(content: readonly TreeNode[] | PropValue | undefined): string {
    if (content === undefined || content === null) return "";
    if (typeof content === "string") {
      const nodes = parseInlineValue(content, { file: "", line: 0, column: 0 });
      return nodes === undefined ? content : plainText(nodes);
    }
    if (typeof content !== "object") return String(content);
    if (isNodeList(content)) return plainText(content);
    if (isListProp(content)) return content.map((entry) => this.textOf(entry)).join("");
    return isJsxProp(content) ? plainText(content.nodes) : "";
  }

  addOutline(entry: OutlineEntry): void {
    if (this.#unlistedDepth > 0) return;
    this.outline.push({
      ...entry,
      depth: Math.min(deepestOutlineLevel, entry.depth + this.#entryDepth),
    });
  }

  headingId(heading: TreeNode): string | undefined {
    return this.#assigned.headings.get(heading)?.linkId;
  }

  addChange(entry: ChangelogEntry): readonly number[] {
    this.changes.push(entry);
    for (const { title, text } of entry.news) this.#count(title + text);
    return entry.tags.map((tag) => {
      const number = this.#tagNumbers.get(tag) ?? this.#tagNumbers.size + 1;
      this.#tagNumbers.set(tag, number);
      return number;
    });
  }

  withinOutline(render: () => string): string {
    this.#entryDepth++;
    const html = render();
    this.#entryDepth--;
    return html;
  }

  withoutOutline(render: () => string): string {
    this.#unlistedDepth++;
    const html = render();
    this.#unlistedDepth--;
    return html;
  }

  problem(problem: Omit<Problem, "file" | "line" | "column">, place: Place): void {
    if (this.problems.length >= maxProblems) return;
    this.problems.push({ ...problem, file: place.file, line: place.line, column: place.column });
  }

  warn(code: string, message: string, place: Place): void {
    this.problem({ severity: "warning", code, message }, place);
  }

  formula(source: string, options: { readonly isDisplay: boolean }, place: Place): string {
    const set = this.#options.formulas.typeset(source, options);
    if (typeof set === "string") return set;
    const message = `This formula is not typeset; readers see its source. ${set.reason}`.trim();
    this.warn("math_not_rendered", message, place);
    return `<code class="formula-source">${escapeHtml(source)}</code>`;
  }

  componentOf(name: string): Component | undefined {
    return this.#options.components.get(name);
  }

  link(target: string, place: Place): { href: string; isExternal: boolean } {
    const { links, path } = this.#options;
    this.references.push({ kind: "link", target, ...place });
    const resolution = resolveLink(target, { page: path, file: place.file }, links);
    return { href: this.#address(resolution, target, place), isExternal: leadsOut(resolution) };
  }

  media(target: string, place: Place): { src: string; isExternal: boolean } {
    const { links, path } = this.#options;
    this.references.push({ kind: "media", target, ...place });
    const resolution = resolveMedia(target, { page: path, file: place.file }, links);
    return { src: this.#address(resolution, target, place), isExternal: leadsOut(resolution) };
  }

  isMissing(target: string, place: Place): boolean {
    const { links, path } = this.#options;
    return resolveMedia(target, { page: path, file: place.file }, links).kind === "unknown";
  }

  isElsewhere(target: string, place: Place): boolean {
    const { links, path } = this.#options;
    return resolveMedia(target, { page: path, file: place.file }, links).kind === "elsewhere";
  }

  get words(): ContentWords {
    return this.#options.words;
  }

  get isWithinLink(): boolean {
    return this.#linkDepth > 0;
  }

  withinLink(render: () => string): string {
    this.#linkDepth++;
    const html = render();
    this.#linkDepth--;
    return html;
  }

  definitionOf(
    node: MarkdownNode<"linkReference" | "imageReference">,
  ): MarkdownNode<"definition"> | undefined {
    return this.#options.survey.definitions.get(identifierOf(node));
  }

  headingIds(node: HeadingNode): HeadingIds {
    const { headings } = this.#assigned;
    const ids = headings.get(node);
    // A node rendered again, or made by a component, is a heading of its own.
    headings.delete(node);
    if (ids !== undefined) return ids;
    const text = plainText(node.children, { withoutComponents: true });
    const id = this.#ids.claim(slugOf(text));
    return { id, linkId: id, aliases: [], text };
  }

  wrapperId(element: ElementNode): string | undefined {
    return this.#assigned.wrappers.get(element);
  }

  isTitle(node: TreeNode): boolean {
    return node === this.#options.titleHeading && this.#titleHtml === undefined;
  }

  setTitle(html: string): void {
    this.#titleHtml = html;
  }

  showId(id: string): boolean {
    return this.#ids.show(id);
  }

  referToFootnote(
    node: MarkdownNode<"footnoteReference">,
  ): { number: number; id: string } | undefined {
    return this.#footnotes.refer(identifierOf(node), this.#ids);
  }

  isFirstPicture(): boolean {
    const isFirst = !this.#hasPicture;
    this.#hasPicture = true;
    return isFirst;
  }

  #renderNode(node: TreeNode): string {
    if (isElement(node)) {
      this.#size.add(elementBytes);
      return renderElement(node, this);
    }
    if (node.type === "code") return this.#count(this.#renderTitledCode(node));
    const html = renderMarkdown(node, this);
    return "children" in node ? html : this.#count(html);
  }

  #renderTitledCode(node: MarkdownNode<"code">): string {
    const drawing = this.#drawing(node);
    if (drawing !== undefined) return drawing;
    const fence = parseFence(node);
    const isSource = isDiagramLanguage(fence.language) && fence.title === "";
    const title = isSource ? this.words.diagramSource : fence.title;
    const picture = this.#fenceIcon(fence, node.place);
    const bar = title === "" && picture === "" ? "" : picture + escapeHtml(title);
    return renderCodeBlock(node, { ...this.#options, title: bar });
  }

  #fenceIcon({ icon, iconType }: Fence, place: Place): string {
    return this.icon(icon, iconType === undefined ? {} : { type: iconType }, place);
  }

  /** The fence as a drawing; undefined where it is no diagram, or one that readers see as its source. */
  #drawing(node: MarkdownNode<"code">): string | undefined {
    if (node.lang === undefined || !isDiagramLanguage(parseFence(node).language)) return undefined;
    const { diagrams, words } = this.#options;
    const drawing = diagrams.draw(node.value, `diagram-${++this.#diagramCount}-`);
    if ("svg" in drawing) {
      const controls = readControls(node.meta);
      return renderFigure(drawing, { source: node.value, controls, words });
    }
    const message = `This diagram is not drawn; readers see its source. ${drawing.reason}`.trim();
    this.warn("diagram_not_rendered", message, node.place);
    return undefined;
  }

  #count(html: string): string {
    this.#size.add(html.length);
    return html;
  }

  #refuseDepth(nodes: readonly TreeNode[]): string {
    const [first] = nodes;
    if (first !== undefined) {
      const message = `This is nested more than ${maxDepth} levels deep and is not shown.`;
      this.problem({ severity: "error", code: "too_deep", message }, first.place);
    }
    return "";
  }

  #address(resolution: Resolution, target: string, place: Place): string {
    if (resolution.kind === "unsafe") {
      const message = `The address ${JSON.stringify(target.slice(0, 60))} would run code in the reader's browser; it was left out.`;
      this.warn("unsafe_address", message, place);
    }
    return addressOf(resolution, this.#options.path);
  }
}

function isNodeList(content: readonly TreeNode[] | PropValue): content is readonly TreeNode[] {
  return Array.isArray(content) && content.every((entry) => isTreeNode(entry));
}
