import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

/** The free icon sets. */
export const iconSets = ["lucide", "fa-solid", "fa-regular", "fa-brands", "tabler"] as const;
export type IconSet = (typeof iconSets)[number];

/** Names and drawings of all icons. A set is read on first use. */
export interface IconSets {
  /** Returns all names, including old ones. */
  names(set: IconSet): ReadonlySet<string>;
  /** Returns the SVG document of an icon in one line, without comments and classes; undefined if it does not exist. */
  drawing(set: IconSet, name: string): string | undefined;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The module in the repository that reads the packages of the sets, which are not installed with the library. */
interface IconPackages {
  readonly createIconPackageSets: () => IconSets;
}

const isBuilt = import.meta.url.endsWith(".js");

/** Finds the drawing of a key such as `lucide:rocket` or `fa-solid:rocket`; undefined for unknown or invalid keys. */
export function findDrawing(key: string, sets: IconSets): string | undefined {
  const { set, name } = keyForm.exec(key)?.groups ?? {};
  return set === undefined || name === undefined ? undefined : sets.drawing(set as IconSet, name);
}

/** Returns the class for an icon's key in HTML and CSS: `i-fa-solid-rocket`. */
export function getIconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}

/** The icon sets: in `dist/` packed beside this module, in `src/` read from their packages. */
export function createIconSets(): IconSets {
  if (isBuilt) return createPackedIconSets(new URL("packed/", import.meta.url));
  const require = createRequire(import.meta.url);
  const { createIconPackageSets } = require("../../../build/icon-packages.ts") as IconPackages;
  return createIconPackageSets();
}

/**
 * Icon sets as the build packs them: the names of a set in `<set>.txt` and its drawings in `<set>.gz`, one per line
 * in the same order. Drawings are read only on first use.
 */
export function createPackedIconSets(folder: URL): IconSets {
  const names = new Map<IconSet, ReadonlySet<string>>();
  const drawings = new Map<IconSet, ReadonlyMap<string, string>>();

  function namesOf(set: IconSet): ReadonlySet<string> {
    const known = names.get(set) ?? new Set(readLines(readFileSync(new URL(`${set}.txt`, folder))));
    names.set(set, known);
    return known;
  }
  function readDrawings(set: IconSet): ReadonlyMap<string, string> {
    const lines = readLines(gunzipSync(readFileSync(new URL(`${set}.gz`, folder))));
    return new Map(Array.from(namesOf(set), (name, at) => [name, lines[at] ?? ""]));
  }
  return {
    names: namesOf,
    drawing(set, name) {
      const known = drawings.get(set) ?? readDrawings(set);
      drawings.set(set, known);
      return known.get(name);
    },
  };
}

function readLines(bytes: Buffer): string[] {
  return bytes.toString().split("\n");
}
