import { setTimeout as sleep } from "node:timers/promises";
import { isDriverFault } from "./faults.ts";

/** Waits before each repetition: a fresh connection is there at once, a restarted server within two seconds. */
export const retryDelaysMs: readonly number[] = [20, 200, 500, 1_000];

/** Runs `act`, and again while the connection is at fault. For what changes nothing, or did not reach the server. */
export async function retryOnFault<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const delayMs of retryDelaysMs) {
    try {
      return await act();
    } catch (error) {
      if (!isDriverFault(error)) throw error;
      await sleep(delayMs);
    }
  }
  return await act();
}
