import { attributes, escapeHtml, html, type Html } from "../markup/index.ts";
import type { MarkdownNode, Resource } from "../page/index.ts";
import { linkLabel } from "./link-name.ts";
import { renderRemoteMediaLink, renderMissingMedia } from "./media-placeholder.ts";
import type { NodeRenderer } from "./renderer.ts";

/** Renders a Markdown link; `target` is the node itself, or the definition that it refers to. */
export function renderLink(
  node: MarkdownNode<"link" | "linkReference">,
  target: Resource,
  renderer: NodeRenderer,
): Html {
  const { children } = node;
  if (renderer.links.isWithinLink) return renderer.renderNodes(children);
  const { href, isExternal } = renderer.links.link(target.url, node.place);
  const content = renderer.links.withinLink(() => renderer.renderNodes(children));
  const title = titleOf(target);
  const label = title === "" ? linkLabel(content, href) : "";
  const link = html`<a href="${escapeHtml(href)}"${title}${label}${isExternal ? externalAttributes : ""}>${content}</a>`;
  return renderer.links.take(link) ? content : link;
}

/** Other sites open in a new window and do not learn which page the reader came from. */
const externalAttributes = html` target="_blank" rel="noreferrer"`;

export function renderPicture(
  node: MarkdownNode<"image" | "imageReference">,
  target: Resource,
  renderer: NodeRenderer,
): Html {
  const address = target.url;
  const { src } = renderer.links.media(address, node.place);
  if (src === "" && renderer.links.isElsewhere(address, node.place)) {
    return renderRemoteMediaLink(address, { alt: node.alt }, renderer);
  }
  if (renderer.links.isMissing(address, node.place)) {
    return renderMissingMedia(renderer.words.pictureMissing, { alt: node.alt });
  }
  const loading = renderer.links.isFirstPicture() ? "" : html` loading="lazy"`;
  return html`<img src="${escapeHtml(src)}" alt="${escapeHtml(node.alt)}"${titleOf(target)}${loading}>`;
}

function titleOf({ title }: Resource): Html {
  return attributes({ title });
}
