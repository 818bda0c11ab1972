/** The storage of finished bundles and of the packs of hosted repositories. */
import type * as s3StorageModule from "./s3/s3-storage.ts";

export { createFileStorage } from "./file-storage.ts";
export type { ByteRange, Storage } from "./storage.ts";

export const createS3Storage: typeof s3StorageModule.createS3Storage = async (options) =>
  (await import("./s3/s3-storage.ts")).createS3Storage(options);
