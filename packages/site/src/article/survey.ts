import { OctavoError } from "../core/index.ts";
import {
  isElement,
  type ElementNode,
  type JsxValue,
  type MarkdownNode,
  type PropValue,
  type TreeNode,
} from "../page/index.ts";
import { isDocumentElement, isSvgElement } from "./attribute-names.ts";

/** What must be known of a whole page before its first node is rendered. */
export interface Survey {
  /** In order of the page. */
  readonly headings: readonly SurveyedHeading[];
  /** Ids that authors wrote on elements. */
  readonly elementIds: readonly string[];
  /** Of elements and components. */
  readonly elementNames: ReadonlySet<string>;
  /** Languages of its fences, as authored. */
  readonly languages: ReadonlySet<string>;
  readonly hasFormulas: boolean;
  /** By identifier. The first of a name counts, as everywhere in Markdown. */
  readonly definitions: ReadonlyMap<string, MarkdownNode>;
  readonly footnotes: ReadonlyMap<string, MarkdownNode>;
}

export interface SurveyedHeading {
  readonly node: TreeNode;
  /** An element with an id whose first content it is: translators keep the English id so. */
  readonly wrapper?: ElementNode;
}

/** The largest real page has 60,000 nodes; snippets within snippets could make it billions. */
const maxNodes = 3_000_000;

interface Visit {
  readonly node: TreeNode;
  readonly wrapper?: ElementNode | undefined;
}

/** Looks at every node once, those in attributes too, in order and without recursion. */
export function surveyTree(tree: readonly TreeNode[], file: string): Survey {
  const headings: SurveyedHeading[] = [];
  const elementIds: string[] = [];
  const elementNames = new Set<string>();
  const languages = new Set<string>();
  const definitions = new Map<string, MarkdownNode>();
  const footnotes = new Map<string, MarkdownNode>();
  const stack: Visit[] = [];
  let count = 0;
  let hasFormulas = false;

  function pushAll(nodes: readonly TreeNode[], wrapper?: ElementNode): void {
    count += nodes.length;
    if (count > maxNodes) {
      throw new OctavoError(
        "too_large",
        `${file} becomes more than ${maxNodes} nodes with its snippets; split the page.`,
      );
    }
    const first = wrapper === undefined ? -1 : nodes.findIndex((node) => !isBlankText(node));
    for (let index = nodes.length - 1; index >= 0; index--) {
      const node = nodes[index];
      if (node !== undefined) stack.push(index === first ? { node, wrapper } : { node });
    }
  }

  function visitMarkdown(node: MarkdownNode): void {
    if (node.type === "code" && typeof node.lang === "string") languages.add(bareLanguage(node));
    if (node.type === "inlineMath") hasFormulas = true;
    if (node.type === "definition") addFirst(definitions, node);
    if (node.type === "footnoteDefinition") addFirst(footnotes, node);
    if (node.children !== undefined) pushAll(node.children);
  }

  pushAll(tree);
  for (let visit = stack.pop(); visit !== undefined; visit = stack.pop()) {
    const { node, wrapper } = visit;
    if (isHeading(node)) headings.push({ node, ...(wrapper === undefined ? {} : { wrapper }) });
    if (!isElement(node)) {
      visitMarkdown(node);
      continue;
    }
    elementNames.add(node.name);
    if (node.name === "CodeBlock") addText(languages, node.props.language);
    const id = shownId(node);
    if (id !== undefined && !isSvgElement(node.name)) elementIds.push(id);
    const isAround = /^[a-z]/.test(node.name) && !isHeading(node);
    const nearest = id === undefined ? wrapper : node;
    pushAll(node.children, isAround ? nearest : undefined);
    for (const value of Object.values(node.props)) {
      if (typeof value === "object" && value !== null) pushAll(jsxNodes(value));
    }
  }
  return {
    headings,
    elementIds,
    elementNames,
    languages,
    hasFormulas: hasFormulas || elementNames.has("Latex"),
    definitions,
    footnotes,
  };
}

/** A Markdown heading, or one that an author wrote as HTML: both have anchors. */
export function isHeading(node: TreeNode): boolean {
  return isElement(node) ? /^h[1-6]$/.test(node.name) : node.type === "heading";
}

function shownId({ name, props }: ElementNode): string | undefined {
  return isDocumentElement(name) ? undefined : elementId(props);
}

/** The id that an author gave an element, in the form in which links name it. */
export function elementId(props: Readonly<Record<string, PropValue>>): string | undefined {
  return typeof props.id === "string" && props.id !== "" ? props.id.normalize("NFC") : undefined;
}

export function isJsxValue(value: PropValue | undefined): value is JsxValue {
  return typeof value === "object" && value !== null && "type" in value && value.type === "jsx";
}

function jsxNodes(value: PropValue): readonly TreeNode[] {
  if (isJsxValue(value)) return value.nodes;
  if (Array.isArray(value))
    return (value as readonly PropValue[]).flatMap((entry) => jsxNodes(entry));
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((entry) => jsxNodes(entry));
}

function addText(texts: Set<string>, value: PropValue | undefined): void {
  if (typeof value === "string") texts.add(value);
}

/** `python{15}` names Python; see `parseFence`. */
function bareLanguage(node: MarkdownNode): string {
  const language = typeof node.lang === "string" ? node.lang : "";
  const end = language.indexOf("{");
  return end > 0 ? language.slice(0, end) : language;
}

function addFirst(map: Map<string, MarkdownNode>, node: MarkdownNode): void {
  const identifier = identifierOf(node);
  if (!map.has(identifier)) map.set(identifier, node);
}

/** Identifiers are compared without regard to case and blank runs. */
export function identifierOf(node: MarkdownNode): string {
  const name = typeof node.identifier === "string" ? node.identifier : "";
  return name.toLowerCase().replaceAll(/\s+/g, " ").trim();
}

function isBlankText(node: TreeNode): boolean {
  return !isElement(node) && node.type === "text" && (node.value ?? "").trim() === "";
}
