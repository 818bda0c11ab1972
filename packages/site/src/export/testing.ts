/** Exports for tests in other folders. Only tests may import this module. */
export { packFiles } from "./archive/pack-files.ts";
export type { PackOptions } from "./archive/pack-files.ts";
export { openExportCache } from "./cache/export-cache.ts";
export { readProcessUsage } from "../sandbox/index.ts";
export type { KnownSite } from "./source/source-index.ts";
