/**
 * A node of the service: its roles and their wiring, and the records and the storage, which commands also open. This is
 * the only folder that chooses adapters. `open-node.ts` opens the parts of a node, and `roles.ts` starts their work.
 * Modules that are slow to load are loaded when they are first used, because commands that need only a few of them also
 * import this module.
 */
import type * as openNodeModule from "./open-node.ts";
import type * as recordsModule from "./records.ts";

export type { Node, NodeOptions } from "./open-node.ts";
export type { Records } from "./records.ts";
export { builtinModels } from "./builtin-models.ts";
export { createListenError } from "./listen-error.ts";
export { openStorage } from "./open-storage.ts";

export const openNode: typeof openNodeModule.openNode = async (options) =>
  (await import("./open-node.ts")).openNode(options);

export const openRecords: typeof recordsModule.openRecords = async (options) =>
  (await import("./records.ts")).openRecords(options);

export const openRecordsQuietly: typeof recordsModule.openRecordsQuietly = async (config) =>
  (await import("./records.ts")).openRecordsQuietly(config);
