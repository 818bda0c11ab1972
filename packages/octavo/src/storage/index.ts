/** The storage of finished bundles. */
export { createFileStorage } from "./file-storage.ts";
export { createS3Storage } from "./s3/s3-storage.ts";
export type { S3StorageOptions } from "./s3/bucket.ts";
export type { ByteRange, DirectLinkOptions, Storage, StoredFile } from "./storage.ts";
