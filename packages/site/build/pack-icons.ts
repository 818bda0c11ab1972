import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { iconSets, type IconSets } from "../src/markup/icons/icon-renderer.ts";

/** The license of each set, which must be distributed together with the drawings. */
const licenses: Readonly<Record<string, URL>> = {
  "LICENSE-lucide.txt": new URL("./LICENSE", import.meta.resolve("lucide-static/package.json")),
  "LICENSE-fontawesome.txt": new URL(
    "./LICENSE.txt",
    import.meta.resolve("@fortawesome/fontawesome-free/package.json"),
  ),
  // Tabler's package contains only the name of its license, not the text.
  "LICENSE-tabler.txt": new URL("./license-tabler.txt", import.meta.url),
};

/** Writes the sets in the format that `openPackedIcons` reads, and their licenses, to a folder. */
export function packIcons(sets: IconSets, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const set of iconSets) {
    const names = [...sets.getNames(set)].toSorted();
    const drawings = names.map((name) => sets.findDrawing(set, name) ?? "");
    writeFileSync(join(folder, `${set}.txt`), names.join("\n"));
    writeFileSync(join(folder, `${set}.gz`), gzipSync(drawings.join("\n"), { level: 9 }));
  }
  for (const [name, file] of Object.entries(licenses)) {
    cpSync(fileURLToPath(file), join(folder, name));
  }
}
