import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError, createTimeoutSignal } from "@octavo/site/core";
import type { Tables } from "./tables.ts";

const pingTimeoutMs = 5_000;

/**
 * Queues a notification in the transaction of `handle`. The notification is sent when the transaction commits, or not
 * at all.
 */
export async function notify(
  handle: Kysely<Tables>,
  channel: string,
  payload: string,
): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(handle);
}

/** Throws `unavailable` if the database does not respond within five seconds. */
export async function checkConnection(kysely: Kysely<Tables>): Promise<void> {
  const timeout = createTimeoutSignal(pingTimeoutMs);
  const expiry = new Promise<never>((_, reject) => {
    timeout.addEventListener("abort", () =>
      reject(new OctavoError("unavailable", "The database does not respond.")),
    );
  });
  try {
    await Promise.race([sql`select 1`.execute(kysely), expiry]);
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw new OctavoError("unavailable", "The database does not respond.", { cause });
  }
}
