import { readFileSync } from "node:fs";
import { zstdDecompressSync } from "node:zlib";

/** The version of the script, which identifies its content. */
export const mermaidVersion = "12.3.0";

const isBuilt = import.meta.url.endsWith(".js");

/**
 * Reads Mermaid as one classic script, which sets the global `mermaid` and has no dependencies. In `dist/`, the script
 * is packed; in `src/`, it is read from its package.
 */
export function readMermaidScript(): Buffer {
  if (!isBuilt) {
    return readFileSync(new URL(import.meta.resolve("mermaid/dist/mermaid.min.js")));
  }
  const packedScript = readFileSync(new URL("mermaid.js.zst", import.meta.url));
  return zstdDecompressSync(packedScript);
}
