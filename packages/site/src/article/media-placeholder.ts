import { attributes, escapeHtml, html, type Html } from "../markup/index.ts";
import { remoteAddress } from "../site/index.ts";
import type { NodeRenderer } from "./renderer.ts";

interface MediaDescription {
  readonly alt?: string;
  readonly className?: string;
}

/**
 * Renders a note in place of a picture or video that is missing in the site: more helpful than a broken
 * image. Keeps the author's classes, so that of a pair for light and dark only one is shown.
 */
export function renderMissingMedia(label: string, media: MediaDescription): Html {
  const { alt = "", className = "" } = media;
  const text = alt.trim() === "" ? label : `${label}: ${alt}`;
  const start = attributes({ class: `missing-media ${className}`.trim(), role: "note" });
  return html`<span${start}>${escapeHtml(text)}</span>`;
}

/**
 * Renders a link in place of a picture, a video or a frame on another host that this bundle does not show;
 * inside a link, only its name. Nothing is loaded before the reader follows it.
 */
export function renderRemoteMediaLink(
  address: string,
  { alt = "", className = "" }: MediaDescription,
  { links }: Pick<NodeRenderer, "links">,
): Html {
  const host = hostOf(address);
  const text = escapeHtml(alt.trim() === "" ? host : `${alt} (${host})`);
  const classes = `missing-media ${className}`.trim();
  const plain = html`<span${attributes({ class: classes })}>${text}</span>`;
  if (links.isWithinLink) return plain;
  const start = {
    class: classes,
    href: remoteAddress(address) ?? address,
    target: "_blank",
    rel: "noreferrer",
  };
  const link = html`<a${attributes(start)}>${text}</a>`;
  return links.take(link) ? plain : link;
}

/** The host of an address, or the address itself if it has none. */
export function hostOf(address: string): string {
  return /^\s*(?:https?:)?\/\/([^/?#]+)/i.exec(address)?.[1] ?? address;
}
