import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
} from "../markup/index.ts";
import type { Html } from "../markup/index.ts";
import type { ElementNode, News, FilePosition, PropValue, TreeNode } from "../page/index.ts";
import { isElement, isRecordProp } from "../page/index.ts";
import { renderAnchor } from "./anchor.ts";
import type { Component, ComponentContext } from "./component.ts";
import { formatPromptText } from "./prompt.ts";
import { readClassProp, readListProp, readTextProp } from "./props.ts";

/**
 * An entry of a changelog. Its label is a link target and is listed in the table of contents. For each of its tags, the
 * entry has a class `update-tag-<n>`, which the page's filters use.
 */
export const update: Component = {
  names: ["Update"],
  render(element, context) {
    const { props, position, children } = element;
    const label = context.getText(props.label).trim();
    const authoredId = readTextProp(props, "id");
    const id =
      authoredId === undefined
        ? claimLabelId(label, context)
        : context.ids.claim(authoredId, { isExact: true });
    if (id !== undefined && label !== "") context.outline.add({ depth: 2, id, text: label });
    const tags = [...new Set(readListProp(props, "tags"))];
    const numbers = addChangelogEntry(element, { label, id, tags }, context);
    const attributes = joinAttributes({
      class: joinClassNames(
        "update",
        ...numbers.map((number) => `update-tag-${number}`),
        readClassProp(props),
      ),
      id,
    });
    const tagHtml = joinHtml(
      tags.map((tag) => wrapInElement("span", "badge badge-sm", escapeHtml(tag))),
      html` `,
    );
    const meta = joinHtml([
      renderLabel(label, id, context),
      wrapInElement("div", "update-tags", tagHtml),
      wrapInElement("div", "update-description", context.renderValue(props.description, position)),
    ]);
    const render = () => context.renderNodes(children);
    const inner = id === undefined ? render() : context.outline.renderBelow(render);
    const content = html`<div class="update-content">${inner}</div>`;
    return html`<section${attributes}><div class="update-meta">${meta}</div>${content}</section>`;
  },
};

function claimLabelId(label: string, context: ComponentContext): string | undefined {
  return label === "" ? undefined : context.ids.claim(label);
}

function renderLabel(label: string, id: string | undefined, context: ComponentContext): Html {
  if (label === "" || id === undefined)
    return wrapInElement("span", "update-label", escapeHtml(label));
  const options = { href: html`#${escapeHtml(id)}`, className: "update-label" };
  return renderAnchor(escapeHtml(label), options, context);
}

function addChangelogEntry(
  element: ElementNode,
  { label, id, tags }: { label: string; id: string | undefined; tags: readonly string[] },
  context: ComponentContext,
): readonly number[] {
  const { props } = element;
  const texts = [
    readTextProp(props, "date") ?? "",
    label,
    context.getText(props.description).trim(),
  ];
  const when = texts.filter((text) => text !== "");
  return context.changelog.add({
    label,
    tags,
    when,
    news: collectNews(element, { label, id }, context),
  });
}

/**
 * Collects the feed items of a changelog entry. The items are the author's text for the feed (`rss`), if any; otherwise
 * one item for each of the entry's headings; or, if it has no headings, the whole entry. Must be called before the
 * entry is rendered.
 */
function collectNews(
  { props, children }: ElementNode,
  entry: { readonly label: string; readonly id: string | undefined },
  context: ComponentContext,
): readonly News[] {
  const { label, id = "" } = entry;
  const nodes = extractMarkdownNodes(children);
  const authoredNews = readAuthoredNews(props.rss, context);
  if (authoredNews !== undefined)
    return [{ title: authoredNews.title || label, id, text: authoredNews.description }];
  const parts = nodes.some(isHeading) ? splitAtHeadings(nodes) : [{ heading: undefined, nodes }];
  return parts.map(({ heading, nodes }) => {
    const title = heading === undefined ? "" : context.getText([heading]).trim();
    const headingId = heading === undefined ? undefined : context.ids.findHeadingId(heading);
    return { title: title || label, id: headingId ?? id, text: formatPromptText(nodes, context) };
  });
}

function readAuthoredNews(
  rss: PropValue | undefined,
  context: ComponentContext,
): { title: string; description: string } | undefined {
  if (!isRecordProp(rss)) return undefined;
  const { title, description } = rss;
  const authoredNews = {
    title: readText(title, context),
    description: readText(description, context),
  };
  return authoredNews.title === "" && authoredNews.description === "" ? undefined : authoredNews;
}

function readText(value: PropValue | undefined, context: ComponentContext): string {
  return typeof value === "string" ? value.trim() : context.getText(value).trim();
}

interface NewsPart {
  readonly heading: TreeNode | undefined;
  readonly nodes: TreeNode[];
}

/**
 * Splits nodes at headings. Content before the first heading becomes part of that heading's item, because it has no
 * heading of its own.
 */
function splitAtHeadings(nodes: readonly TreeNode[]): NewsPart[] {
  const before: TreeNode[] = [];
  const parts: NewsPart[] = [];
  for (const node of nodes) {
    if (isHeading(node)) parts.push({ heading: node, nodes: parts.length === 0 ? before : [] });
    else (parts.at(-1)?.nodes ?? before).push(node);
  }
  return parts;
}

function isHeading(node: TreeNode): boolean {
  return node.type === "heading";
}

const omittedTypes: ReadonlySet<string> = new Set([
  "code",
  "image",
  "imageReference",
  "math",
  "inlineMath",
  "table",
  "definition",
]);
const absoluteUrl = /^https?:\/\//i;

/**
 * Returns only the Markdown of an entry, without images, tables and code blocks. Components and elements are replaced
 * with their title and text. Headings remain the same nodes, because ids are looked up by node. Links within the site
 * become text, because relative links do not work outside the site.
 */
function extractMarkdownNodes(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node): readonly TreeNode[] => {
    if (isElement(node)) return extractElementNodes(node);
    if (omittedTypes.has(node.type)) return [];
    if (isHeading(node) || !("children" in node)) return [node];
    const children = extractMarkdownNodes(node.children);
    const isLocalLink =
      node.type === "linkReference" || (node.type === "link" && !absoluteUrl.test(node.url));
    return isLocalLink ? children : [{ ...node, children }];
  });
}

/** The names of fragments, and of the elements that translators add around headings to preserve ids. */
const wrapperNames: ReadonlySet<string> = new Set(["", "div", "section"]);
/** The elements that contain no text for readers of the page. */
const omittedElements: ReadonlySet<string> = new Set(["script", "style", "svg"]);

/** Returns the text of an element. Headings within components do not begin separate items. */
function extractElementNodes({
  name,
  props,
  children,
  isFlow,
  position,
}: ElementNode): readonly TreeNode[] {
  if (wrapperNames.has(name)) return extractMarkdownNodes(children);
  const isForAgents = name === "Visibility" && props.for === "agents";
  if (omittedElements.has(name) || isForAgents) return [];
  const title = isFlow && typeof props.title === "string" ? props.title.trim() : "";
  const texts = extractMarkdownNodes(children).map((node) =>
    node.type === "heading" ? buildStrongLine(node.children, node.position) : node,
  );
  if (title === "") return texts;
  return [buildStrongLine([{ type: "text", value: title, position }], position), ...texts];
}

function buildStrongLine(children: readonly TreeNode[], position: FilePosition): TreeNode {
  return {
    type: "paragraph",
    children: [{ type: "strong", children, position }],
    position,
  };
}
