import { createHash, hash } from "node:crypto";

/** SHA-256 as 64 lower-case hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}

/** One hash over several values in order; no two different lists give the same input. */
export function hashParts(parts: readonly (string | Uint8Array)[]): string {
  const all = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    all.update(`${bytes.length}:`).update(bytes);
  }
  return all.digest("hex");
}
