import { attributes, escapeHtml } from "../../components/html.ts";

/**
 * What stands in the place of a picture or a video that is not in the site: a broken image says less
 * and looks like a fault of the page. Keeps the author's classes, so that of a pair for light and
 * dark only one is shown.
 */
export function missingMedia(label: string, media: { alt?: string; className?: string }): string {
  const { alt = "", className = "" } = media;
  const text = alt.trim() === "" ? label : `${label}: ${alt}`;
  const start = attributes({ class: `missing-media ${className}`.trim(), role: "note" });
  return `<span${start}>${escapeHtml(text)}</span>`;
}
