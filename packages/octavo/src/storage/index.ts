/** Where finished bundles are kept. */
export { createFileStorage } from "./file-storage.ts";
export type { ByteRange, Storage, StoredFile } from "./storage.ts";
