import { joinAttributes, escapeHtml, html, type Html } from "../markup/index.ts";
import type { MarkdownNode, Resource } from "../page/index.ts";
import { normalizeRemoteAddress } from "../site/index.ts";
import type { NodeRenderer } from "./renderer.ts";
import { getBaseName } from "../core/index.ts";

/** Matches content that gives a link a name: text, the description of a picture, or a label. */
const accessibleName = /(?:^|>)[^<]*[^<\s]|\s(?:alt|aria-label|title)="[^"]*[^"\s]|<title>/;

interface MediaDescription {
  readonly alt?: string;
  readonly className?: string;
}

/** Renders a Markdown link. `target` is the node itself or the definition to which it refers. */
export function renderLink(
  node: MarkdownNode<"link" | "linkReference">,
  target: Resource,
  renderer: NodeRenderer,
): Html {
  const { children } = node;
  if (renderer.links.isWithinLink) return renderer.renderNodes(children);
  const { href, isExternal } = renderer.links.link(target.url, node.place);
  const content = renderer.links.withinLink(() => renderer.renderNodes(children));
  const title = renderTitle(target);
  const label = title === "" ? renderLinkLabel(content, href) : "";
  const link = html`<a href="${escapeHtml(href)}"${title}${label}${isExternal ? externalAttributes : ""}>${content}</a>`;
  return renderer.links.collect(link) ? content : link;
}

/** Links to other sites open in a new window and do not disclose the page that contains them. */
const externalAttributes = html` target="_blank" rel="noreferrer"`;

export function renderImage(
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
  const loading = renderer.links.isFirstImage() ? "" : html` loading="lazy"`;
  return html`<img src="${escapeHtml(src)}" alt="${escapeHtml(node.alt)}"${renderTitle(target)}${loading}>`;
}

/**
 * Renders ` aria-label="…"` for a link without text, such as a picture or an icon. The label names the target host or
 * page for users of screen readers. Empty if the content gives the link a name.
 */
export function renderLinkLabel(content: Html, href: string): Html {
  // Most links begin with a word.
  if (content !== "" && !content.startsWith("<") && content.trim() !== "") return "";
  if (accessibleName.test(content)) return "";
  const host = getHost(href);
  const label = host === href ? pageName(href) : host.replace(/^www\./, "");
  return joinAttributes({ "aria-label": label });
}

/**
 * Renders a note instead of a picture or video that is missing in the site, because a broken image would be less
 * helpful. Keeps the author's classes, so that only one of a pair of pictures for light and dark is shown.
 */
export function renderMissingMedia(label: string, media: MediaDescription): Html {
  const { alt = "", className = "" } = media;
  const text = alt.trim() === "" ? label : `${label}: ${alt}`;
  const start = joinAttributes({ class: `missing-media ${className}`.trim(), role: "note" });
  return html`<span${start}>${escapeHtml(text)}</span>`;
}

/**
 * Renders a link instead of a picture, a video or a frame on another host that this bundle does not show. Inside a
 * link, renders only the name. Nothing is loaded before the reader follows the link.
 */
export function renderRemoteMediaLink(
  address: string,
  { alt = "", className = "" }: MediaDescription,
  { links }: Pick<NodeRenderer, "links">,
): Html {
  const host = getHost(address);
  const text = escapeHtml(alt.trim() === "" ? host : `${alt} (${host})`);
  const classes = `missing-media ${className}`.trim();
  const plain = html`<span${joinAttributes({ class: classes })}>${text}</span>`;
  if (links.isWithinLink) return plain;
  const start = {
    class: classes,
    href: normalizeRemoteAddress(address) ?? address,
    target: "_blank",
    rel: "noreferrer",
  };
  const link = html`<a${joinAttributes(start)}>${text}</a>`;
  return links.collect(link) ? plain : link;
}

/** Returns the host of an address, or the address itself if it does not have one. */
export function getHost(address: string): string {
  return /^\s*(?:https?:)?\/\/([^/?#]+)/i.exec(address)?.[1] ?? address;
}

function renderTitle({ title }: Resource): Html {
  return joinAttributes({ title });
}

/** Derives the name of a page from its address: `first steps` for `../guides/first-steps.html#install`. */
function pageName(href: string): string {
  const [path = "", fragment = ""] = href.split("#", 2);
  const file = getBaseName(path).replace(/\.html$/, "");
  return (file === "" ? fragment : file).replaceAll(/[-_]+/g, " ").trim();
}
