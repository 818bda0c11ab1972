import type { DiskSpace } from "../core/index.ts";
import type { Database } from "../db/index.ts";
import { readWorkState } from "../jobs/index.ts";
import type { Storage } from "../storage/index.ts";
import type { GaugeReadings, Logger } from "../telemetry/index.ts";

interface GaugeSources {
  readonly database: Database;
  readonly space: DiskSpace;
  readonly log: Logger;
}

/** Reads the values of this node's gauges. Never fails: metrics are needed most when the database is unavailable. */
export async function readGauges({ database, space, log }: GaugeSources): Promise<GaugeReadings> {
  const work = await readWorkState(database).catch((err: unknown) => {
    log.warn({ err }, "The gauges of queues, jobs and nodes could not be read");
    return undefined;
  });
  return { work, disks: space.free, connections: database.connections() };
}

interface ReadinessSources {
  readonly database: Database;
  readonly storage: Storage;
  readonly space: DiskSpace;
}

/**
 * Checks the database, the storage and the disk space. Throws the error of the first one that this node cannot reach or
 * use.
 */
export async function checkReady({ database, storage, space }: ReadinessSources): Promise<void> {
  await Promise.all([database.ping(), storage.ping(), space.check()]);
}
