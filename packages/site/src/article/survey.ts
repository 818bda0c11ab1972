import { isBlankText } from "../components/index.ts";
import { OctavoError } from "../core/index.ts";
import {
  getChildren,
  isElement,
  isJsxProp,
  isListProp,
  isRecordProp,
  type ElementNode,
  type MarkdownNode,
  type FilePosition,
  type PropValue,
  type TreeNode,
} from "../page/index.ts";
import { isDocumentElement, isSvgElement } from "./attribute-names.ts";

/** A heading in Markdown or in HTML. Both have anchors. */
export type HeadingNode = MarkdownNode<"heading"> | ElementNode;

/** The facts about the whole page that are needed before its first node is rendered. */
export interface Survey {
  /** The headings in the order of the page. */
  readonly headings: readonly SurveyedHeading[];
  /** The authored ids of elements. */
  readonly elementIds: readonly string[];
  /** The names of elements and components. */
  readonly elementNames: ReadonlySet<string>;
  /** The values of `class` and `className`, as authored. */
  readonly classLists: ReadonlySet<string>;
  /** The languages of fences, as authored. */
  readonly languages: ReadonlySet<string>;
  readonly hasFormulas: boolean;
  /** The first definition of each identifier, as Markdown specifies. */
  readonly definitions: ReadonlyMap<string, MarkdownNode<"definition">>;
  /** The positions of pictures that have no alternative text and are not marked as decoration. */
  readonly imagesWithoutText: readonly FilePosition[];
  readonly footnotes: ReadonlyMap<string, MarkdownNode<"footnoteDefinition">>;
}

export interface SurveyedHeading {
  readonly node: HeadingNode;
  /** An element that has an id and begins with the heading. Translators use such elements to keep the English id. */
  readonly wrapper?: ElementNode;
}

/**
 * The maximum number of nodes of a page. The largest real page has 60,000 nodes, but snippets within snippets could
 * expand to billions.
 */
const maxNodes = 3_000_000;

interface Visit {
  readonly node: TreeNode;
  readonly wrapper?: ElementNode | undefined;
}

/**
 * Visits every node once and in order, including nodes in attributes. Throws `too_large` if there are too many nodes.
 */
export function surveyTree(tree: readonly TreeNode[], file: string): Survey {
  const headings: SurveyedHeading[] = [];
  const elementIds: string[] = [];
  const elementNames = new Set<string>();
  const classLists = new Set<string>();
  const languages = new Set<string>();
  const definitions = new Map<string, MarkdownNode<"definition">>();
  const imagesWithoutText: FilePosition[] = [];
  const footnotes = new Map<string, MarkdownNode<"footnoteDefinition">>();
  const stack: Visit[] = [];
  let nodeCount = 0;
  let hasFormulas = false;

  function pushAll(nodes: readonly TreeNode[], wrapper?: ElementNode): void {
    nodeCount += nodes.length;
    if (nodeCount > maxNodes) {
      throw new OctavoError(
        "too_large",
        `With its snippets, ${file} has more than ${maxNodes} nodes; split the page.`,
      );
    }
    const first = wrapper === undefined ? -1 : nodes.findIndex((node) => !isBlankText(node));
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node !== undefined) stack.push(index === first ? { node, wrapper } : { node });
    }
  }

  function visitMarkdown(node: MarkdownNode): void {
    if (node.type === "code" && node.lang !== undefined)
      languages.add(stripLanguageSuffix(node.lang));
    if (node.type === "inlineMath") hasFormulas = true;
    if (node.type === "definition") addIfFirst(definitions, node);
    if (node.type === "footnoteDefinition") addIfFirst(footnotes, node);
    pushAll(getChildren(node));
  }

  pushAll(tree);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, wrapper } = visit;
    if (isHeading(node)) headings.push({ node, ...(wrapper === undefined ? {} : { wrapper }) });
    if (isImageWithoutText(node)) imagesWithoutText.push(node.position);
    if (!isElement(node)) {
      visitMarkdown(node);
      continue;
    }
    elementNames.add(node.name);
    if (node.name === "CodeBlock") addText(languages, node.props.language);
    addText(classLists, readClasses(node));
    const id = isDocumentElement(node.name) ? undefined : findElementId(node.props);
    if (id !== undefined && !isSvgElement(node.name)) elementIds.push(id);
    const isHtmlElement = /^[a-z]/.test(node.name) && !isHeading(node);
    const nearestWrapper = id === undefined ? wrapper : node;
    pushAll(node.children, isHtmlElement ? nearestWrapper : undefined);
    for (const value of Object.values(node.props)) pushAll(collectJsxNodes(value));
  }
  return {
    headings,
    elementIds,
    elementNames,
    classLists,
    languages,
    hasFormulas: hasFormulas || elementNames.has("Latex"),
    definitions,
    imagesWithoutText,
    footnotes,
  };
}

export function isHeading(node: TreeNode): node is HeadingNode {
  return isElement(node) ? /^h[1-6]$/.test(node.name) : node.type === "heading";
}

/** Returns the authored id of an element, in NFC as in links, or undefined if it has none. */
export function findElementId(props: Readonly<Record<string, PropValue>>): string | undefined {
  return typeof props.id === "string" && props.id !== "" ? props.id.normalize("NFC") : undefined;
}

function collectJsxNodes(value: PropValue): readonly TreeNode[] {
  if (isJsxProp(value)) return value.nodes;
  if (isListProp(value)) return value.flatMap((entry) => collectJsxNodes(entry));
  if (!isRecordProp(value)) return [];
  return Object.values(value).flatMap((entry) => collectJsxNodes(entry));
}

function readClasses({ props }: ElementNode): PropValue | undefined {
  return props.className ?? props.class;
}

function addText(texts: Set<string>, value: PropValue | undefined): void {
  if (typeof value === "string") texts.add(value);
}

/** Returns the name of a language without a suffix: `python` for `python{15}`; see `parseFence`. */
function stripLanguageSuffix(language: string): string {
  const end = language.indexOf("{");
  return end > 0 ? language.slice(0, end) : language;
}

function addIfFirst<Node extends { readonly identifier: string }>(
  map: Map<string, Node>,
  node: Node,
): void {
  const identifier = normalizeIdentifier(node);
  if (!map.has(identifier)) map.set(identifier, node);
}

/** Normalizes an identifier, in which case and runs of white space are ignored. */
export function normalizeIdentifier({ identifier }: { readonly identifier: string }): string {
  return identifier.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** Reports whether a node is a picture that has no alternative text and is not marked as decoration. */
function isImageWithoutText(node: TreeNode): boolean {
  if (isElement(node)) return node.name === "img" && !isDescribedOrDecorative(node);
  return (node.type === "image" || node.type === "imageReference") && node.alt.trim() === "";
}

function isDescribedOrDecorative({ props }: ElementNode): boolean {
  const { alt, role } = props;
  const isHidden = props["aria-hidden"] !== undefined || role === "presentation" || role === "none";
  return isHidden || alt !== undefined || props["aria-label"] !== undefined;
}
