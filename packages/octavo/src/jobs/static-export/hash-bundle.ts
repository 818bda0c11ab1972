import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";

export interface HashedBundle {
  readonly bytes: number;
  /** The hash as 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Hashes a bundle. The hash becomes the bundle's name in the storage, so it is computed here instead of trusting the
 * process that renders authors' content. Throws if the file is a link.
 */
export async function hashBundle(file: string): Promise<HashedBundle> {
  await using handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of handle.createReadStream({
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest("hex") };
}
