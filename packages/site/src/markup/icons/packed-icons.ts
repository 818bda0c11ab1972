import { readFileSync } from "node:fs";
import type { IconSet, IconSets } from "./icon-sets.ts";

const lineFeed = 0x0a;

/**
 * Sets as the build packs them, a file each: a line of all names, with blanks between, then the drawings in the
 * same order, a line each. Who asks for names decodes only these.
 */
export function openPackedIcons(folder: URL): IconSets {
  const files = new Map<IconSet, Buffer>();
  const nameSets = new Map<IconSet, ReadonlySet<string>>();
  const drawings = new Map<IconSet, ReadonlyMap<string, string>>();

  function fileOf(set: IconSet): Buffer {
    const file = files.get(set) ?? readFileSync(new URL(`${set}.txt`, folder));
    files.set(set, file);
    return file;
  }
  function readNames(set: IconSet): string[] {
    const file = fileOf(set);
    return file.toString("utf8", 0, file.indexOf(lineFeed)).split(" ");
  }
  function readDrawings(set: IconSet): ReadonlyMap<string, string> {
    const [names = "", ...lines] = fileOf(set).toString("utf8").split("\n");
    return new Map(names.split(" ").map((name, at) => [name, lines[at] ?? ""]));
  }
  return {
    names(set) {
      const names = nameSets.get(set) ?? new Set(readNames(set));
      nameSets.set(set, names);
      return names;
    },
    drawing(set, name) {
      const known = drawings.get(set) ?? readDrawings(set);
      drawings.set(set, known);
      return known.get(name);
    },
  };
}
