import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";

export interface HashedBundle {
  readonly bytes: number;
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The bundle's name in the storage is made of this, so it is read here rather than taken from the process that works on
 * what authors wrote. Throws if the file is a link.
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
