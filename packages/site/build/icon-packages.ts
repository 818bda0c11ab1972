/**
 * Reads the icon sets from their packages. The library uses this module if it runs from its sources, and `npm run
 * build` uses it to pack the icons: the three packages have 78 MB, but the drawings only 5 MB.
 */
import { readFileSync, readdirSync } from "node:fs";
import type { IconSet, IconSets } from "../src/markup/icons/icon-renderer.ts";

const lucide = import.meta.resolve("lucide-static/package.json");
const awesome = import.meta.resolve("@fortawesome/fontawesome-free/package.json");
const tabler = import.meta.resolve("@iconify-json/tabler/icons.json");

/** The folders that contain one file per icon. Tabler's drawings are in a single file instead. */
const folders: Readonly<Record<Exclude<IconSet, "tabler">, URL>> = {
  lucide: new URL("icons/", lucide),
  "fa-solid": new URL("svgs/solid/", awesome),
  "fa-regular": new URL("svgs/regular/", awesome),
  "fa-brands": new URL("svgs/brands/", awesome),
};

interface TablerFile {
  readonly icons: Readonly<Record<string, { readonly body: string }>>;
  readonly aliases: Readonly<Record<string, { readonly parent: string }>>;
}

export function createIconPackageSets(): IconSets {
  let tablerFile: TablerFile | undefined;
  const names = new Map<IconSet, ReadonlySet<string>>();

  function readTabler(): TablerFile {
    return (tablerFile ??= JSON.parse(readFileSync(new URL(tabler), "utf8")) as TablerFile);
  }
  function readNames(set: IconSet): string[] {
    if (set === "tabler") {
      const { icons, aliases } = readTabler();
      return [...Object.keys(icons), ...Object.keys(aliases)];
    }
    return readdirSync(folders[set])
      .filter((file) => file.endsWith(".svg"))
      .map((file) => file.slice(0, -".svg".length));
  }
  function namesOf(set: IconSet): ReadonlySet<string> {
    const known = names.get(set) ?? new Set(readNames(set));
    names.set(set, known);
    return known;
  }
  return {
    getNames: namesOf,
    findDrawing(set, name) {
      if (!namesOf(set).has(name)) return undefined;
      if (set !== "tabler") {
        return inOneLine(readFileSync(new URL(`${name}.svg`, folders[set]), "utf8"));
      }
      const { icons, aliases } = readTabler();
      const parent = Object.hasOwn(aliases, name) ? aliases[name]?.parent : undefined;
      const body = icons[parent ?? name]?.body ?? "";
      return inOneLine(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">${body}</svg>`);
    },
  };
}

/** Converts a drawing to a single line, without comments, classes and its size. */
function inOneLine(svg: string): string {
  return svg
    .replace(/<!--[^]*?-->/g, "")
    .replace(/\s+/g, " ")
    .replace(/> </g, "><")
    .replace(/ (?:class="[^"]*"|width="24"|height="24")/g, "")
    .replaceAll(" />", "/>")
    .replaceAll(" >", ">")
    .trim();
}
