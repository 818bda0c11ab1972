import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hashParts } from "../../core/index.ts";

/** Files of `src/` and `dist/` that are not part of the program. */
const notRun = /(?:\.test\.ts|\.d\.ts|\.map)$/;

/**
 * A hash of the renderer's own program, so that nothing made by another version is taken from a cache. It includes
 * package.json, in which the packages that affect the output have exact versions.
 */
export function rendererVersion(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !notRun.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}
