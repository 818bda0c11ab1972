import { attributes, escapeHtml, html, joinHtml, wrap, type Html } from "../markup/index.ts";
import type { SiteConfig } from "../site/index.ts";
import type { FrameContext } from "./frame-context.ts";
import { layoutIcon } from "./layout-icons.ts";
import { socialIcons, socialName } from "./social-networks.ts";

export function renderFooter(frame: FrameContext): Html {
  const { columns, socials } = frame.config.footer;
  const inner = joinHtml([
    wrap("div", "footer-columns", joinHtml(columns.map((column) => renderColumn(column, frame)))),
    wrap("ul", "footer-socials", renderSocialLinks(socials, frame)),
  ]);
  if (inner === "") return "";
  return html`<footer id="footer"><div class="footer-inner">${inner}</div></footer>`;
}

type FooterConfig = SiteConfig["footer"];

function renderColumn(column: FooterConfig["columns"][number], { links }: FrameContext): Html {
  const header =
    column.header === undefined
      ? ""
      : html`<p class="footer-header">${escapeHtml(column.header)}</p>`;
  const items = column.items.map(({ label, href }) => {
    const target = links.toTarget(href);
    return target === undefined ? "" : html`<li><a href="${target}">${escapeHtml(label)}</a></li>`;
  });
  return html`<div>${header}<ul>${joinHtml(items)}</ul></div>`;
}

function renderSocialLinks(socials: FooterConfig["socials"], { links }: FrameContext): Html {
  const items = Object.entries(socials).map(([network, href]) => {
    const target = links.toTarget(href);
    if (target === undefined) return "";
    const name = socialName(network);
    const label = attributes({ "aria-label": name, title: name });
    const icon = layoutIcon(socialIcons.has(network) ? network : "link");
    return html`<li><a href="${target}"${label}>${icon}</a></li>`;
  });
  return joinHtml(items);
}
