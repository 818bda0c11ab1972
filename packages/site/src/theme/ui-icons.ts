import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { NavDivision, Site } from "../site/index.ts";
import { socialIcons } from "./footer.ts";

const require = createRequire(import.meta.url);

/** Class of an icon of the layout (`i-<key>`) and its file, as `<family>/<name>`. */
const layoutIcons: ReadonlyMap<string, string> = new Map([
  ["search", "lucide/search"],
  ["menu", "lucide/menu"],
  ["close", "lucide/x"],
  ["sun", "lucide/sun"],
  ["moon", "lucide/moon"],
  ["copy", "lucide/copy"],
  ["check", "lucide/check"],
  ["down", "lucide/chevron-down"],
  ["forward", "lucide/chevron-right"],
  ["updown", "lucide/chevrons-up-down"],
  ["globe", "lucide/globe"],
  ["link", "lucide/link"],
  ["file", "lucide/file-text"],
  ["rss", "lucide/rss"],
  ["toc", "lucide/list-tree"],
  ["away", "lucide/arrow-up-right"],
  ["download", "lucide/download"],
  ["play", "lucide/circle-play"],
  ["plus", "lucide/plus"],
  ["minus", "lucide/minus"],
  ["reset", "lucide/rotate-ccw"],
]);

/**
 * CSS of the layout's own icons and of the networks that the site links to: masks, so that they take
 * the colour of the text around them.
 */
export async function uiIconsCss(site: Site): Promise<string> {
  const icons = new Map(layoutIcons);
  for (const network of networksOf(site)) {
    const file = socialIcons.get(network);
    if (file !== undefined) icons.set(network, file);
  }
  const masks = await Promise.all(
    Array.from(icons, async ([key, file]) => [key, await maskOf(file)] as const),
  );
  const notice = "/* Icons: Lucide (ISC licence), Font Awesome Free brands (CC BY 4.0). */";
  return [
    notice,
    ":root {",
    ...masks.map(([key, mask]) => `  --i-${key}: ${mask};`),
    "}",
    ...masks.map(([key]) => `.i-${key} { --i: var(--i-${key}); }`),
  ].join("\n");
}

function networksOf({ config, navigation }: Site): ReadonlySet<string> {
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

async function maskOf(file: string): Promise<string> {
  const name = file.slice(file.indexOf("/") + 1);
  const module = file.startsWith("brands/")
    ? `@fortawesome/fontawesome-free/svgs/brands/${name}.svg`
    : `lucide-static/icons/${name}.svg`;
  const source = await readFile(require.resolve(module), "utf8");
  const markup = source
    .replaceAll(/<!--[\s\S]*?-->/g, "")
    .replaceAll(/\s+class="[^"]*"/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll("> <", "><")
    .trim();
  const encoded = markup.replaceAll(/[%#<>"]/g, (letter) =>
    letter === '"' ? "'" : encodeURIComponent(letter),
  );
  return `url("data:image/svg+xml,${encoded}")`;
}
