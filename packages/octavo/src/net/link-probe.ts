import { isOctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/** The state of a probed address. `reason` is a sentence. */
export type LinkState =
  | { readonly kind: "there" }
  /** The server responded that the resource does not exist. */
  | { readonly kind: "gone"; readonly reason: string }
  /** There was no response, or no meaningful one. */
  | { readonly kind: "unreachable"; readonly reason: string };

/**
 * Checks whether addresses exist. Several hosts are contacted at the same time; each host's addresses are checked one
 * after another.
 */
export type ProbeLinks = (
  addresses: readonly string[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, LinkState>>;

const maxConcurrentHosts = 8;
const limits = {
  timeoutMs: 20_000,
  maxRedirects: 10,
  /** Bodies are not read. */
  maxResponseBytes: 64 * 1024,
} as const;
/** Some hosts reject requests without a user agent. */
const headers = { "user-agent": "Octavo", accept: "*/*" };
const removedStatuses: ReadonlySet<number> = new Set([404, 410]);

/** Creates a probe. Contacts private addresses only if `allow` lists them; other private addresses are unreachable. */
export function createLinkProbe({ allow }: { readonly allow: AllowList }): ProbeLinks {
  const ask = createGuardedFetch({ allow, bodyMode: "none", followsOtherOrigins: true, ...limits });

  async function probe(address: string, signal: AbortSignal | undefined): Promise<LinkState> {
    try {
      const head = await ask(address, { method: "HEAD", headers, signal });
      if (head.ok) return { kind: "there" };
      // Many servers do not handle HEAD correctly.
      return toLinkState(new URL(address), await ask(address, { headers, signal }));
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOctavoError(error)) throw error;
      return { kind: "unreachable", reason: error.message };
    }
  }

  return async (addresses, signal) => {
    const states = new Map<string, LinkState>();
    const hosts = [...Map.groupBy(new Set(addresses), (address) => new URL(address).host).values()];
    const workers = Array.from({ length: maxConcurrentHosts }, async () => {
      for (
        let hostAddresses = hosts.pop();
        hostAddresses !== undefined;
        hostAddresses = hosts.pop()
      ) {
        for (const address of hostAddresses) states.set(address, await probe(address, signal));
      }
    });
    await Promise.all(workers);
    return states;
  };
}

/** Returns the state of an address. A page that requires a login or rejects programs exists. */
function toLinkState({ host }: URL, { status }: Response): LinkState {
  const reason = `${host} responded with ${status}.`;
  if (removedStatuses.has(status)) return { kind: "gone", reason };
  return status >= 500 ? { kind: "unreachable", reason } : { kind: "there" };
}
