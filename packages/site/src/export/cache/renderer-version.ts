import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hashParts } from "../../core/index.ts";

/**
 * A hash of the renderer's own program, so that nothing another version made is taken from a cache. The packages
 * that shape the output are pinned exactly in package.json, which is part of it.
 */
export function rendererVersion(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}
