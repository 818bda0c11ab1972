import { markdownToMdast } from "satteri";
import { readDrawingSize } from "../components/index.ts";
import type { Component, ComponentChangelog, ComponentOutline } from "../components/index.ts";
import { OctavoError, limits } from "../core/index.ts";
import type { Highlighter } from "../highlight/index.ts";
import {
  escapeHtml,
  fillPlaceholders,
  html,
  joinAttributes,
  joinHtml,
  renderIconDrawing,
  renderIconImage,
  trustHtml,
} from "../markup/index.ts";
import type { ContentWords, Html, IconOptions, IconRenderer } from "../markup/index.ts";
import {
  ProblemList,
  isElement,
  isJsxProp,
  isListProp,
  isTreeNode,
  readMarkdownNode,
} from "../page/index.ts";
import type {
  ChangelogEntry,
  FilePosition,
  MarkdownNode,
  OutlineEntry,
  PropValue,
  RawNode,
  TreeNode,
} from "../page/index.ts";
import { normalizeRemoteAddress } from "../site/index.ts";
import type { SiteLinks } from "../site/index.ts";
import type { Diagrams } from "./diagram/draw-diagram.ts";
import type { Formulas } from "./formula/typeset-formula.ts";
import { renderElement } from "./html-elements.ts";
import { renderMarkdownNode } from "./markdown-nodes.ts";
import { PageAnchors } from "./page-anchors.ts";
import { PageCode } from "./page-code.ts";
import type { PageCodeOptions } from "./page-code.ts";
import { PageLinks } from "./page-links.ts";
import { getPlainText } from "./plain-text.ts";
import type { NodeRenderer } from "./renderer.ts";
import { normalizeIdentifier } from "./survey.ts";
import type { Survey } from "./survey.ts";

interface PageRendererOptions {
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
  /** The heading that is shown as the page's title and not in the article. */
  readonly titleHeading?: TreeNode | undefined;
}

/**
 * The maximum depth of rendering: the maximum depth of nesting in a source, plus some levels for paragraphs and
 * snippets. Rendering is recursive. Before V8 optimizes its functions, the stack overflows at 750 to 1,000 levels.
 */
const maxDepth = limits.nesting + 100;
/** The minimum size of an element's tags. Its content is counted separately. */
const minElementLength = 16;

const maxOutlineDepth = 4;

/** Renders the nodes of one page and collects its links, ids, icons, outline, changelog and problems. */
export class PageRenderer implements NodeRenderer {
  readonly words: ContentWords;
  readonly problems = new ProblemList();
  readonly outline = new PageOutline();
  readonly links: PageLinks;
  readonly ids: PageAnchors;
  readonly code: PageCode;
  readonly changelog: PageChangelog;
  /** The keys of the icons that the page shows. */
  readonly icons = new Set<string>();
  readonly #options: PageRendererOptions;
  readonly #size: HtmlSize;
  readonly #footnotes: Footnotes;
  #titleHtml: Html | undefined;
  #depth = 0;
  /** The renderer of content that the page does not show; created for the first such content. */
  #unshownRenderer: PageRenderer | undefined;

  constructor(options: PageRendererOptions) {
    const { links, path, survey, words, highlighter, diagrams } = options;
    const { problems } = this;
    this.#options = options;
    this.#size = new HtmlSize(path);
    this.#footnotes = new Footnotes(survey.footnotes);
    this.words = words;
    this.links = new PageLinks({ links, path, definitions: survey.definitions, problems });
    this.ids = new PageAnchors(survey);
    this.changelog = new PageChangelog(this.#size);
    const renderIcon: PageCodeOptions["renderIcon"] = (...icon) => this.renderIcon(...icon);
    this.code = new PageCode({ highlighter, diagrams, words, problems, renderIcon });
  }

  /** The inner HTML of the heading that is the page's title; undefined before the heading is rendered. */
  get titleHtml(): Html | undefined {
    return this.#titleHtml;
  }

  renderNodes(nodes: readonly TreeNode[]): Html {
    if (this.#depth >= maxDepth) return this.#refuseDepth(nodes);
    this.#depth++;
    let markup: Html = "";
    for (const node of nodes) {
      const part = this.#renderNode(node);
      // Elements on separate lines, such as badges and links, need white space between them.
      const isApart: boolean = markup !== "" && isElement(node) && node.isFlow && !node.isJoined;
      markup = isApart ? html`${markup}\n${part}` : html`${markup}${part}`;
    }
    this.#depth--;
    return markup;
  }

  recordUnshownReferences(nodes: readonly TreeNode[]): void {
    // A separate renderer is used, so that the content adds no ids, outline, icons or problems to the page.
    const renderer = (this.#unshownRenderer ??= new PageRenderer(this.#options));
    renderer.#unshownRenderer = renderer;
    const { references } = renderer.links;
    const start = references.length;
    // Both renderers share one depth limit, because they share the stack.
    renderer.#depth = this.#depth;
    renderer.renderNodes(nodes);
    if (renderer === this) return;
    for (const { kind, target, ...position } of references.slice(start)) {
      // Anchors are ignored, because Markdown has none. Files on other hosts are ignored, because they are not fetched
      // for a page that does not show them.
      const [path = ""] = kind === "link" ? target.split("#", 1) : [target];
      const isChecked = kind === "link" || normalizeRemoteAddress(target) === undefined;
      if (path !== "" && isChecked) this.links.references.push({ kind, target: path, ...position });
    }
  }

  /** Renders the footnotes that have references. Must be called after the page's content is rendered. */
  renderFootnotes(): Html {
    return this.#footnotes.render(this);
  }

  renderValue(value: PropValue | undefined, position: FilePosition): Html {
    if (value === undefined || value === null) return "";
    if (typeof value === "string") {
      const nodes = parseInlineValue(value, position);
      return nodes === undefined ? this.#countHtml(escapeHtml(value)) : this.renderNodes(nodes);
    }
    if (typeof value !== "object") return escapeHtml(String(value));
    if (isJsxProp(value)) return this.renderNodes(value.nodes);
    if (!isListProp(value)) return "";
    return joinHtml(value.map((entry) => this.renderValue(entry, position)));
  }

  renderIcon(icon: PropValue | undefined, options: IconOptions, position: FilePosition): Html {
    if (isJsxProp(icon)) {
      const size = options.size ?? readDrawingSize(icon.nodes);
      const drawnOptions = size === undefined ? options : { ...options, size };
      return renderIconDrawing(this.renderNodes(icon.nodes), drawnOptions);
    }
    const { html: markup, key, image, problem } = this.#options.icons(icon, options);
    if (key !== undefined) this.icons.add(key);
    if (problem !== undefined) this.problems.warn("unknown_icon", problem, position);
    if (image === undefined) return markup;
    const { src } = this.links.media(image, position);
    return src === "" ? "" : renderIconImage(escapeHtml(src), options);
  }

  renderFormula(
    source: string,
    options: { readonly isDisplay: boolean },
    position: FilePosition,
  ): Html {
    const formula = this.#options.formulas.typeset(source, options);
    if (typeof formula === "string") return formula;
    const message = `This formula cannot be typeset; its source is shown. ${formula.reason}`.trim();
    this.problems.warn("math_not_rendered", message, position);
    return html`<code class="formula-source">${escapeHtml(source)}</code>`;
  }

  getText(content: readonly TreeNode[] | PropValue | undefined): string {
    return getContentText(content);
  }

  findComponent(name: string): Component | undefined {
    return this.#options.components.get(name);
  }

  listComponentNames(): Iterable<string> {
    return this.#options.components.keys();
  }

  isTitle(node: TreeNode): boolean {
    return node === this.#options.titleHeading && this.#titleHtml === undefined;
  }

  setTitle(content: Html): void {
    this.#titleHtml = content;
  }

  referToFootnote(
    node: MarkdownNode<"footnoteReference">,
  ): { number: number; id: string } | undefined {
    return this.#footnotes.refer(normalizeIdentifier(node), this.ids);
  }

  #renderNode(node: TreeNode): Html {
    if (isElement(node)) {
      this.#size.add(minElementLength);
      return renderElement(node, this);
    }
    if (node.type === "code") return this.#countHtml(this.code.renderTitled(node));
    const markup = renderMarkdownNode(node, this);
    return "children" in node ? markup : this.#countHtml(markup);
  }

  #countHtml(content: Html): Html {
    this.#size.add(content.length);
    return content;
  }

  #refuseDepth([first]: readonly TreeNode[]): Html {
    if (first !== undefined) {
      const message = `This content is nested more than ${maxDepth} levels deep and is omitted.`;
      this.problems.error("too_deep", message, first.position);
    }
    return "";
  }
}

/** The entries of a page's changelog. Their text in the feed counts toward the page's size. */
class PageChangelog implements ComponentChangelog {
  readonly entries: ChangelogEntry[] = [];
  readonly #numbersByTag = new Map<string, number>();
  readonly #size: HtmlSize;

  constructor(size: HtmlSize) {
    this.#size = size;
  }

  add(entry: ChangelogEntry): readonly number[] {
    this.entries.push(entry);
    for (const { title, text } of entry.news) this.#size.add(title.length + text.length);
    return entry.tags.map((tag) => {
      const number = this.#numbersByTag.get(tag) ?? this.#numbersByTag.size + 1;
      this.#numbersByTag.set(tag, number);
      return number;
    });
  }
}

/** The table of contents of one page. */
class PageOutline implements ComponentOutline {
  readonly entries: OutlineEntry[] = [];
  #omittedDepth = 0;
  #hiddenDepth = 0;
  #parentDepth = 0;

  add(entry: OutlineEntry): void {
    if (this.#omittedDepth > 0) return;
    this.entries.push({
      ...entry,
      depth: Math.min(maxOutlineDepth, entry.depth + this.#parentDepth),
      ...(this.#hiddenDepth > 0 && { isHidden: true }),
    });
  }

  renderUnlisted(render: () => Html): Html {
    this.#omittedDepth++;
    const html = render();
    this.#omittedDepth--;
    return html;
  }

  renderHidden(render: () => Html): Html {
    this.#hiddenDepth++;
    const html = render();
    this.#hiddenDepth--;
    return html;
  }

  renderBelow(render: () => Html): Html {
    this.#parentDepth++;
    const html = render();
    this.#parentDepth--;
    return html;
  }
}

/**
 * Counts the HTML of a page while the page is rendered, because a few short lines with nested snippets can produce
 * gigabytes.
 */
class HtmlSize {
  readonly #path: string;
  #characters = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Throws `too_large` if the page exceeds its limit. */
  add(characters: number): void {
    this.#characters += characters;
    if (this.#characters <= limits.htmlBytes) return;
    const size = Math.round(limits.htmlBytes / 1024 / 1024);
    const message = `${this.#path} produces more than ${size} MB of HTML; split the page.`;
    throw new OctavoError("too_large", message);
  }
}

/** An arrow with a text variation selector, without which some phones show an emoji. */
const backArrow = "↩\u{fe0e}";

interface ReferencedFootnote {
  readonly definition: MarkdownNode<"footnoteDefinition">;
  /** The ids of the references to the footnote, in page order. */
  readonly references: string[];
}

/** The footnotes of one page, numbered in the order of their references. */
class Footnotes {
  readonly #definitions: ReadonlyMap<string, MarkdownNode<"footnoteDefinition">>;
  readonly #notes = new Map<string, ReferencedFootnote>();

  constructor(definitions: ReadonlyMap<string, MarkdownNode<"footnoteDefinition">>) {
    this.#definitions = definitions;
  }

  refer(identifier: string, ids: PageAnchors): { number: number; id: string } | undefined {
    const definition = this.#definitions.get(identifier);
    if (definition === undefined) return undefined;
    const note = this.#notes.get(identifier) ?? { definition, references: [] };
    this.#notes.set(identifier, note);
    const number = [...this.#notes.keys()].indexOf(identifier) + 1;
    const id = ids.allocate(`footnote-${number}-reference`);
    ids.show(id);
    note.references.push(id);
    return { number, id };
  }

  /** Renders the notes with links back to their references, followed by the notes to which these notes refer. */
  render(renderer: NodeRenderer): Html {
    const notes: Html[] = [];
    let number = 0;
    // The loop also visits entries that are added while it runs.
    for (const { definition, references } of this.#notes.values()) {
      number++;
      const id = `footnote-${number}`;
      renderer.ids.show(id);
      const content = renderer.renderNodes(definition.children);
      const links = references.map((reference, index) => {
        const referenceNumber = index === 0 ? `${number}` : `${number}-${index + 1}`;
        const label = escapeHtml(
          fillPlaceholders(renderer.words.footnoteBack, { number: referenceNumber }),
        );
        return html` <a class="footnote-back" href="#${escapeHtml(reference)}" aria-label="${label}">${escapeHtml(backArrow)}</a>`;
      });
      const inner = appendToParagraph(content, joinHtml(links));
      notes.push(html`<li${joinAttributes({ id })}>${inner}</li>`);
    }
    if (notes.length === 0) return "";
    return html`<section class="footnotes"><ol>${joinHtml(notes)}</ol></section>`;
  }
}

const paragraphEnd = "</p>";

/** Appends `added` to `content`, inside its last paragraph if `content` ends with a paragraph. */
function appendToParagraph(content: Html, added: Html): Html {
  if (!content.endsWith(paragraphEnd)) return html`${content}${added}`;
  // Only a complete closing tag is removed, so the remaining text is still trusted markup.
  const openParagraph = trustHtml(content.slice(0, -paragraphEnd.length));
  return html`${openParagraph}${added}</p>`;
}

/** Returns the plain text of nodes or of a value. Strings are parsed as inline Markdown. */
function getContentText(content: readonly TreeNode[] | PropValue | undefined): string {
  if (content === undefined || content === null) return "";
  if (typeof content === "string") {
    const nodes = parseInlineValue(content, { file: "", line: 0, column: 0 });
    return nodes === undefined ? content : getPlainText(nodes);
  }
  if (typeof content !== "object") return String(content);
  if (isNodeList(content)) return getPlainText(content);
  if (isListProp(content)) return content.map((entry) => getContentText(entry)).join("");
  return isJsxProp(content) ? getPlainText(content.nodes) : "";
}

function isNodeList(content: readonly TreeNode[] | PropValue): content is readonly TreeNode[] {
  return Array.isArray(content) && content.every((entry) => isTreeNode(entry));
}

/**
 * The maximum length of a value that is parsed. Longer values are shown as plain text. Captions and titles on real
 * sites are far shorter.
 */
const maxLength = 4_000;
/** Matches the characters that may begin markup. A value without any of them is plain text. */
const markupCharacter = /[*_`~[\\]/;

/**
 * Parses the text of an attribute as inline Markdown, such as a caption with `**bold**` or a link. Returns undefined
 * for plain text, and for text that Markdown would not parse as one paragraph (`1. Install` is a title, not a list).
 */
function parseInlineValue(text: string, position: FilePosition): readonly TreeNode[] | undefined {
  if (!markupCharacter.test(text) || text.length > maxLength) return undefined;
  const root: RawNode = markdownToMdast(text);
  const [first, ...others] = root.children ?? [];
  if (first?.type !== "paragraph" || others.length > 0) return undefined;
  return readNodesAt(position, first.children ?? []);
}

/**
 * Converts parsed nodes to tree nodes. All of them get the element's position, because positions within the attribute
 * are unknown.
 */
function readNodesAt(position: FilePosition, nodes: readonly RawNode[]): readonly TreeNode[] {
  return nodes.map((node) =>
    readMarkdownNode(node, {
      position,
      children: readNodesAt(position, node.children ?? []),
    }),
  );
}
