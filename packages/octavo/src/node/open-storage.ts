import type { Config } from "../config/index.ts";
import { createFileStorage, createS3Storage } from "../storage/index.ts";
import type { Storage } from "../storage/index.ts";

/** Opens the storage that the configuration names. */
export async function openStorage({ storage }: Pick<Config, "storage">): Promise<Storage> {
  return storage.kind === "fs" ? createFileStorage(storage.folder) : createS3Storage(storage);
}
