import type { SpaceWatch } from "../../packages/octavo/src/core/index.ts";

/** Disks that never fill up. */
export const ampleSpace: SpaceWatch = { shortage: new AbortController().signal };
