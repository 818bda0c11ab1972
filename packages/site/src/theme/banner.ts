import { escapeHtml } from "../markup/index.ts";
import { hashParts } from "../core/index.ts";
import type { SiteConfig } from "../site/index.ts";
import { inkOn, parseHex, toHex } from "./color.ts";
import type { Frame } from "./frame.ts";
import { inlineMarkdown } from "./inline-markdown.ts";

type Banner = NonNullable<SiteConfig["banner"]>;

/** The author's colours with the ink that can be read on each; the style sheet takes the one of the scheme. */
function colorStyle({ color }: Banner): string {
  const pairs = (["light", "dark"] as const).flatMap((scheme) => {
    const paper = parseHex(color?.[scheme] ?? "");
    if (paper === undefined) return [];
    const ink = toHex(inkOn(paper));
    return [`--banner-${scheme}:${toHex(paper)}`, `--banner-${scheme}-text:${ink}`];
  });
  return pairs.length === 0 ? "" : ` style="${pairs.join(";")}"`;
}

/** The strip above everything. Its id tells a changed banner from one that the reader dismissed. */
export function banner(frame: Frame, content: Banner): string {
  const id = hashParts([content.content]).slice(0, 12);
  const close = content.dismissible
    ? `<button class="banner-close icon-button" type="button" aria-label="${escapeHtml(frame.words.close)}"><i class="i i-close"></i></button>`
    : "";
  return (
    `<div id="banner" class="banner-${content.type}" data-banner="${id}"${colorStyle(content)}>` +
    `<div class="banner-text">${inlineMarkdown(content.content, frame.links)}</div>${close}</div>`
  );
}
