/** Where finished bundles are stored. */
export { createFileStorage } from "./file-storage.ts";
export type { ByteRange, Storage, StoredFile } from "./storage.ts";
