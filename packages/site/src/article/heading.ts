import { escapeHtml, html, joinHtml, type Html } from "../markup/index.ts";
import type { TreeNode } from "../page/index.ts";
import type { NodeRenderer } from "./renderer.ts";
import type { HeadingNode } from "./survey.ts";

interface HeadingParts {
  /** A Markdown heading, or an element `h1` to `h6`. */
  readonly node: HeadingNode;
  readonly children: readonly TreeNode[];
  readonly depth: number;
  /** The other attributes, each with a leading space. */
  readonly attributes: Html;
  /** Whether the heading has a link to itself that readers can copy. */
  readonly hasLink: boolean;
}

/** The depths of headings that the table of contents shows. Depth 1 is the page's title. */
const shownDepths: readonly number[] = [2, 3, 4];

export function renderHeading(heading: HeadingParts, renderer: NodeRenderer): Html {
  const { node, children, depth, attributes, hasLink } = heading;
  const { id, linkId, aliases, text } = renderer.ids.takeHeadingIds(node);
  if (renderer.isTitle(node)) {
    const marks = renderIdMarks([id, ...aliases], renderer);
    renderer.setTitle(html`${marks}${renderer.renderNodes(children)}`);
    return "";
  }
  if (shownDepths.includes(depth) && text !== "") renderer.outline.add({ depth, id: linkId, text });
  const idAttribute = id !== "" && renderer.ids.show(id) ? html` id="${escapeHtml(id)}"` : "";
  const marks = renderIdMarks(aliases, renderer);
  const content = renderer.renderNodes(children);
  const link =
    hasLink && !renderer.links.isWithinLink
      ? html`<a class="anchor" href="#${escapeFragment(linkId)}" aria-hidden="true" tabindex="-1"></a>`
      : "";
  return html`<h${depth}${idAttribute}${attributes}>${marks}${content}${link}</h${depth}>`;
}

/** Renders an empty element for each of the `ids` that no element on the page has yet. */
function renderIdMarks(ids: readonly string[], renderer: NodeRenderer): Html {
  const newIds = ids.filter((id) => id !== "" && renderer.ids.show(id));
  return joinHtml(newIds.map((id) => html`<span id="${escapeHtml(id)}"></span>`));
}

/** Escapes an id for a URL fragment, because browsers decode percent signs before they search for the id. */
function escapeFragment(id: string): Html {
  return escapeHtml(id.replaceAll("%", "%25").replaceAll(" ", "%20"));
}
