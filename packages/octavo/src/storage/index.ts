/** The storage of finished bundles. */
import type * as s3StorageModule from "./s3/s3-storage.ts";

export { createFileStorage } from "./file-storage.ts";
export type { S3StorageOptions } from "./s3/bucket.ts";
export type { ByteRange, DirectLinkOptions, Storage, StoredFile } from "./storage.ts";

export const createS3Storage: typeof s3StorageModule.createS3Storage = async (options) =>
  (await import("./s3/s3-storage.ts")).createS3Storage(options);
