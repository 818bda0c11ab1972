import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

/** The free icon sets. */
export const iconSets = ["lucide", "fa-solid", "fa-regular", "fa-brands", "tabler"] as const;
export type IconSet = (typeof iconSets)[number];

/** The names and drawings of all icons. A set is read when it is first used. */
export interface IconSets {
  /** Returns all names of a set, including old names. */
  names(set: IconSet): ReadonlySet<string>;
  /**
   * Returns the SVG document of an icon on one line, without comments and classes, or undefined if the icon does not
   * exist.
   */
  drawing(set: IconSet, name: string): string | undefined;
}

const keyForm =
  /^(?<set>lucide|tabler|fa-(?:solid|regular|brands)):(?<name>[a-z0-9]+(?:-[a-z0-9]+)*)$/;

/** The module in the repository that reads the sets' packages, which are not installed with the library. */
interface IconPackages {
  readonly createIconPackageSets: () => IconSets;
}

const isBuilt = import.meta.url.endsWith(".js");

/**
 * Returns the drawing of a key such as `lucide:rocket` or `fa-solid:rocket`, or undefined for unknown and invalid keys.
 */
export function findDrawing(key: string, sets: IconSets): string | undefined {
  const { set, name } = keyForm.exec(key)?.groups ?? {};
  return set === undefined || name === undefined ? undefined : sets.drawing(set as IconSet, name);
}

/** Returns the class for an icon's key in HTML and CSS, e.g. `i-fa-solid-rocket`. */
export function getIconClass(key: string): string {
  return `i-${key.replace(":", "-")}`;
}

/**
 * Opens the icon sets. In `dist/`, they are packed next to this module; in `src/`, they are read from their packages.
 */
export function createIconSets(): IconSets {
  if (isBuilt) return createPackedIconSets(new URL("packed/", import.meta.url));
  const require = createRequire(import.meta.url);
  const { createIconPackageSets } = require("../../../build/icon-packages.ts") as IconPackages;
  return createIconPackageSets();
}

/**
 * Opens icon sets in the form in which the build packs them. The names of a set are in `<set>.txt` and its drawings in
 * `<set>.gz`, one per line and in the same order. Drawings are read only when they are first used.
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
