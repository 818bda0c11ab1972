import { escapeHtml } from "../markup/index.ts";
import type { SiteConfig } from "../site/index.ts";
import type { Frame } from "./frame.ts";

const socialNames: ReadonlyMap<string, string> = new Map([
  ["x-twitter", "X"],
  ["twitter", "X"],
  ["github", "GitHub"],
  ["linkedin", "LinkedIn"],
  ["youtube", "YouTube"],
  ["hacker-news", "Hacker News"],
]);

/** Icons of the networks, as `<family>/<name>`. */
export const socialIcons: ReadonlyMap<string, string> = new Map([
  ["x", "fa-brands:x-twitter"],
  ["x-twitter", "fa-brands:x-twitter"],
  ["twitter", "fa-brands:x-twitter"],
  ["github", "fa-brands:github"],
  ["discord", "fa-brands:discord"],
  ["slack", "fa-brands:slack"],
  ["linkedin", "fa-brands:linkedin"],
  ["youtube", "fa-brands:youtube"],
  ["facebook", "fa-brands:facebook"],
  ["instagram", "fa-brands:instagram"],
  ["hacker-news", "fa-brands:hacker-news"],
  ["medium", "fa-brands:medium"],
  ["telegram", "fa-brands:telegram"],
  ["bluesky", "fa-brands:bluesky"],
  ["threads", "fa-brands:threads"],
  ["reddit", "fa-brands:reddit"],
  ["website", "lucide:globe"],
  ["earth-americas", "lucide:globe"],
  ["podcast", "lucide:podcast"],
  ["email", "lucide:mail"],
]);

export function footer(frame: Frame): string {
  const content = frame.config.footer;
  const columns = content.columns.map((column) => footerColumn(column, frame)).join("");
  const socials = socialLinks(frame, content.socials);
  if (columns === "" && socials === "") return "";
  return (
    '<footer id="footer"><div class="footer-inner">' +
    (columns === "" ? "" : `<div class="footer-columns">${columns}</div>`) +
    (socials === "" ? "" : `<ul class="footer-socials">${socials}</ul>`) +
    "</div></footer>"
  );
}

function footerColumn(column: SiteConfig["footer"]["columns"][number], { links }: Frame): string {
  let items = "";
  for (const { label, href } of column.items) {
    const target = links.toTarget(href);
    if (target !== undefined) items += `<li><a href="${target}">${escapeHtml(label)}</a></li>`;
  }
  const header =
    column.header === undefined ? "" : `<p class="footer-header">${escapeHtml(column.header)}</p>`;
  return `<div>${header}<ul>${items}</ul></div>`;
}

function socialLinks({ links }: Frame, socials: SiteConfig["footer"]["socials"]): string {
  let items = "";
  for (const [network, href] of Object.entries(socials)) {
    const target = links.toTarget(href);
    if (target === undefined) continue;
    const name = socialNames.get(network) ?? network.charAt(0).toUpperCase() + network.slice(1);
    const glyph = `<i class="i i-${socialIcons.has(network) ? network : "link"}"></i>`;
    items += `<li><a href="${target}" aria-label="${escapeHtml(name)}" title="${escapeHtml(name)}">${glyph}</a></li>`;
  }
  return items;
}
