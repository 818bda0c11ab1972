import { escapeHtml, html, createIconMask, createIconSets, type Html } from "../markup/index.ts";
import type { NavDivision, Site } from "../site/index.ts";

/** The drawing keys of the layout's own icons, keyed by icon name. */
const layoutIcons: ReadonlyMap<string, string> = new Map([
  ["search", "lucide:search"],
  ["menu", "lucide:menu"],
  ["close", "lucide:x"],
  ["sun", "lucide:sun"],
  ["moon", "lucide:moon"],
  ["copy", "lucide:copy"],
  ["check", "lucide:check"],
  ["down", "lucide:chevron-down"],
  ["forward", "lucide:chevron-right"],
  ["updown", "lucide:chevrons-up-down"],
  ["globe", "lucide:globe"],
  ["link", "lucide:link"],
  ["file", "lucide:file-text"],
  ["rss", "lucide:rss"],
  ["toc", "lucide:list-tree"],
  ["away", "lucide:arrow-up-right"],
  ["download", "lucide:download"],
  ["play", "lucide:circle-play"],
  ["plus", "lucide:plus"],
  ["minus", "lucide:minus"],
  ["reset", "lucide:rotate-ccw"],
]);

/** Renders one of `layoutIcons`, or the icon of a network to which the site links. */
export function renderLayoutIcon(name: string): Html {
  return html`<i class="i i-${escapeHtml(name)}"></i>`;
}

/** Renders CSS for these icons. They are masks, so that they have the color of the text around them. */
export function renderLayoutIconStyles(site: Site): string {
  const icons = new Map(layoutIcons);
  for (const network of collectNetworks(site)) {
    const key = socialIcons.get(network);
    if (key !== undefined) icons.set(network, key);
  }
  const sets = createIconSets();
  const masks = Array.from(
    icons,
    ([name, key]) => [name, createIconMask(key, sets) ?? "none"] as const,
  );
  const notice = "/* Icons: Lucide (ISC license), Font Awesome Free brands (CC BY 4.0). */";
  return [
    notice,
    ":root {",
    ...masks.map(([name, mask]) => `  --i-${name}: ${mask};`),
    "}",
    ...masks.map(([name]) => `.i-${name} { --i: var(--i-${name}); }`),
  ].join("\n");
}

function collectNetworks({ config, navigation }: Site): ReadonlySet<string> {
  const networks = new Set<string>();
  const add = ({ navbar, footer }: Partial<Pick<Site["config"], "navbar" | "footer">>) => {
    for (const network of Object.keys(footer?.socials ?? {})) networks.add(network);
    for (const { type } of navbar?.links ?? []) networks.add(type);
    if (navbar?.primary) networks.add(navbar.primary.type);
  };
  const visit = (division: NavDivision) => {
    if (division.overrides) add(division.overrides);
    for (const inner of division.divisions) visit(inner);
  };
  add(config);
  visit(navigation);
  return networks;
}

/** The icons of networks, as `<family>:<name>`, keyed by the network's name in the configuration. */
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
