import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { IconSet, IconSets } from "./icon-sets.ts";

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
