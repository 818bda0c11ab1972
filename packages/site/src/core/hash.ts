import { createHash, hash } from "node:crypto";

/** Returns the SHA-256 hash as 64 lower-case hexadecimal digits. */
export function sha256(content: string | Uint8Array): string {
  return hash("sha256", content);
}

/** Hashes several values in order. Different lists never produce the same input for the hash. */
export function hashParts(parts: readonly (string | Uint8Array)[]): string {
  const combinedHash = createHash("sha256");
  for (const part of parts) {
    const bytes = typeof part === "string" ? Buffer.from(part) : part;
    combinedHash.update(`${bytes.length}:`).update(bytes);
  }
  return combinedHash.digest("hex");
}
