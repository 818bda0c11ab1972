import { hashParts } from "../core/index.ts";
import { attributes, html, type Html } from "../markup/index.ts";
import type { SiteConfig } from "../site/index.ts";
import { inkOn, parseHex, toHex } from "./color.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderInlineMarkdown } from "./inline-markdown.ts";
import { layoutIcon } from "./layout-icons.ts";

type BannerConfig = NonNullable<SiteConfig["banner"]>;

/** The strip above everything. Its id tells a changed banner from one that the reader dismissed. */
export function renderBanner(banner: BannerConfig, { words, links }: FrameContext): Html {
  const start = attributes({
    id: "banner",
    class: `banner-${banner.type}`,
    "data-banner": hashParts([banner.content]).slice(0, 12),
    style: colorStyle(banner),
  });
  const text = renderInlineMarkdown(banner.content, links);
  const close = banner.dismissible ? renderCloseButton(words.close) : "";
  return html`<div${start}><div class="banner-text">${text}</div>${close}</div>`;
}

/** The author's colours, each with the ink that can be read on it; the style sheet takes those of the scheme. */
function colorStyle({ color }: BannerConfig): string {
  const declarations = (["light", "dark"] as const).flatMap((scheme) => {
    const paper = parseHex(color?.[scheme] ?? "");
    if (paper === undefined) return [];
    const ink = toHex(inkOn(paper));
    return [`--banner-${scheme}:${toHex(paper)}`, `--banner-${scheme}-text:${ink}`];
  });
  return declarations.join(";");
}

function renderCloseButton(label: string): Html {
  const start = attributes({
    class: "banner-close icon-button",
    type: "button",
    "aria-label": label,
  });
  return html`<button${start}>${layoutIcon("close")}</button>`;
}
