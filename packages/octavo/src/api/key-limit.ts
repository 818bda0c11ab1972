import { OctavoError } from "@octavo/site/core";
import type { OrganizationPlan } from "../core/index.ts";
import type { Caller } from "../projects/index.ts";

/** What keys have open on this node at the moment. */
export interface KeyLimit {
  /** Counts one more; call what it returns once, when that has ended. Throws `rate_limited` at the plan's maximum. */
  enter(caller: Pick<Caller, "keyId" | "plan">): () => void;
}

/** How soon a refused caller should try again: nobody knows when another call ends. */
const retrySeconds = 1;

/** `name` is what is counted, in the plural. */
export function createKeyLimit(name: string, maxOf: (plan: OrganizationPlan) => number): KeyLimit {
  const counts = new Map<string, number>();
  return {
    enter({ keyId, plan }) {
      const count = counts.get(keyId) ?? 0;
      const max = maxOf(plan);
      if (count >= max) {
        throw new OctavoError(
          "rate_limited",
          `This API key has as many ${name} open as the plan ${plan} allows: ${max}. ` +
            `Close some, or try again in ${retrySeconds} s.`,
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
