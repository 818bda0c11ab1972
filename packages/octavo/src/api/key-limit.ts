import { OctavoError } from "@octavo/site/core";
import type { OrganizationPlan } from "../core/index.ts";
import type { Caller } from "../projects/index.ts";

/** Counts the open requests, streams or uploads of each API key on this node. */
export interface KeyLimit {
  /**
   * Counts one more item and returns the function to call once when the item ends. Throws `rate_limited` if the key is
   * at its plan's maximum.
   */
  enter(caller: Pick<Caller, "keyId" | "plan">): () => void;
}

/**
 * The time after which a refused caller should try again. It is constant because it is unknown when another call will
 * end.
 */
const retrySeconds = 1;

/** Creates a limit. `itemsName` is the plural noun for the counted items in messages, e.g. `event streams`. */
export function createKeyLimit(
  itemsName: string,
  getMax: (plan: OrganizationPlan) => number,
): KeyLimit {
  const counts = new Map<string, number>();
  return {
    enter({ keyId, plan }) {
      const count = counts.get(keyId) ?? 0;
      const max = getMax(plan);
      if (count >= max) {
        throw new OctavoError(
          "rate_limited",
          `This API key has reached the ${plan} plan's limit of ${max} open ${itemsName}. Close some of them, or try ` +
            `again in ${retrySeconds} s.`,
          { details: { retryAfterSeconds: retrySeconds } },
        );
      }
      counts.set(keyId, count + 1);
      return () => {
        const remaining = (counts.get(keyId) ?? 1) - 1;
        if (remaining > 0) counts.set(keyId, remaining);
        else counts.delete(keyId);
      };
    },
  };
}
