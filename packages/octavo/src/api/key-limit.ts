import { OctavoError } from "@octavo/site/core";
import type { OrganizationPlan } from "../core/index.ts";
import type { Caller } from "../projects/index.ts";

/** A counter of the open requests or streams of each key on this node. */
export interface KeyLimit {
  /**
   * Counts one more request or stream and returns a function to call once when that request or stream ends. Throws
   * `rate_limited` if the key is at its plan's maximum.
   */
  enter(caller: Pick<Caller, "keyId" | "plan">): () => void;
}

/**
 * The time after which a refused caller should try again. It is constant because it is unknown when another call will
 * end.
 */
const retrySeconds = 1;

/** Creates a limit. `name` is the plural noun for the counted items in messages. */
export function createKeyLimit(name: string, maxOf: (plan: OrganizationPlan) => number): KeyLimit {
  const counts = new Map<string, number>();
  return {
    enter({ keyId, plan }) {
      const count = counts.get(keyId) ?? 0;
      const max = maxOf(plan);
      if (count >= max) {
        throw new OctavoError(
          "rate_limited",
          `This API key has reached the ${plan} plan's limit of ${max} open ${name}. Close some of them, or try ` +
            `again in ${retrySeconds} s.`,
          { details: { retryAfterSeconds: retrySeconds } },
        );
      }
      counts.set(keyId, count + 1);
      return () => {
        const left = (counts.get(keyId) ?? 1) - 1;
        if (left > 0) counts.set(keyId, left);
        else counts.delete(keyId);
      };
    },
  };
}
