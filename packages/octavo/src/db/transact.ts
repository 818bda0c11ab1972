import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import { isConnectionFault, isDriverFault } from "./faults.ts";
import type { Tables } from "./tables.ts";

/**
 * The delays before each retry. A new connection is available immediately, and a restarted server within two seconds.
 */
const faultRetryDelaysMs: readonly number[] = [20, 200, 500, 1_000];

/**
 * Runs `work` in a transaction, and again in a new transaction if a fault such as a broken connection or a deadlock
 * prevented the commit. `work` must only run statements on its handle, because it may run several times. Only one run
 * is committed. If the connection breaks during the commit, the outcome is unknown, and the error is thrown.
 */
export async function transact<Result>(
  db: Kysely<Tables>,
  work: (transaction: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  for (const delayMs of faultRetryDelaysMs) {
    let isCommitting = false;
    try {
      return await db.transaction().execute(async (transaction) => {
        const result = await work(transaction);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      const isUncommitted = !isCommitting && isConnectionFault(error);
      if (!isUncommitted && !isSerializationFault(error)) throw error;
      await sleep(delayMs);
    }
  }
  return await db.transaction().execute(work);
}

/**
 * Runs `operation` and repeats it while the connection fails. Use it only for work that changes nothing or did not reach the
 * server.
 */
export async function retryOnFault<Result>(operation: () => Promise<Result>): Promise<Result> {
  for (const delayMs of faultRetryDelaysMs) {
    try {
      return await operation();
    } catch (error) {
      if (!isDriverFault(error)) throw error;
      await sleep(delayMs);
    }
  }
  return await operation();
}

/**
 * Reports whether a transaction was aborted because of another transaction, so that it may succeed if it is run again.
 */
function isSerializationFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "40001" || code === "40P01";
}
