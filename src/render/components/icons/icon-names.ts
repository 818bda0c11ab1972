import { readdirSync } from "node:fs";

/** Font Awesome's free styles; each is a folder of its package. */
export const awesomeStyles = ["solid", "regular", "brands"] as const;
export type AwesomeStyle = (typeof awesomeStyles)[number];

/** Which icons there are, by the names of the packages' files, old names included. */
export interface IconNames {
  readonly lucide: ReadonlySet<string>;
  readonly awesome: Readonly<Record<AwesomeStyle, ReadonlySet<string>>>;
}

const lucideFolder = new URL("icons/", import.meta.resolve("lucide-static/package.json"));
const awesomeFolder = new URL(
  "svgs/",
  import.meta.resolve("@fortawesome/fontawesome-free/package.json"),
);

/** Lists four folders, some 5,000 names; no icon is read. */
export function readIconNames(): IconNames {
  return {
    lucide: svgNames(lucideFolder),
    awesome: {
      solid: svgNames(new URL("solid/", awesomeFolder)),
      regular: svgNames(new URL("regular/", awesomeFolder)),
      brands: svgNames(new URL("brands/", awesomeFolder)),
    },
  };
}

function svgNames(folder: URL): ReadonlySet<string> {
  const names = new Set<string>();
  for (const file of readdirSync(folder)) {
    if (file.endsWith(".svg")) names.add(file.slice(0, -".svg".length));
  }
  return names;
}

const keyForm = /^(?:lucide|fa-(?<style>solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The file of a key such as `lucide:rocket` or `fa-solid:rocket`; undefined for anything else. */
export function iconFile(key: string): URL | undefined {
  const groups = keyForm.exec(key)?.groups;
  if (groups === undefined) return undefined;
  const { style, name } = groups;
  const file = `${name}.svg`;
  return style === undefined
    ? new URL(file, lucideFolder)
    : new URL(`${style}/${file}`, awesomeFolder);
}

/** The class that an icon's key has in HTML and CSS: `i-fa-solid-rocket`. */
export function iconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}
