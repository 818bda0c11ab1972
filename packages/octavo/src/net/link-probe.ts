import { isOctavoError } from "@octavo/site/core";
import type { AllowList } from "../core/index.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/** What is known of an address after it was asked; `reason` is a sentence. */
export type LinkState =
  | { readonly kind: "there" }
  /** Its server says that there is no such thing. */
  | { readonly kind: "gone"; readonly reason: string }
  /** Nothing, or nothing that tells, was answered. */
  | { readonly kind: "unreachable"; readonly reason: string };

/** Asks whether addresses lead somewhere: hosts beside each other, each one address after the other. */
export type ProbeLinks = (
  addresses: readonly string[],
  signal?: AbortSignal,
) => Promise<ReadonlyMap<string, LinkState>>;

const maxHostsAtOnce = 8;
const limits = {
  timeoutMs: 20_000,
  maxRedirects: 10,
  /** Bodies are not read. */
  maxResponseBytes: 64 * 1024,
} as const;
/** Some hosts refuse those who do not say who they are. */
const headers = { "user-agent": "Octavo", accept: "*/*" };
const goneStatuses: ReadonlySet<number> = new Set([404, 410]);

/** Private addresses are only asked where `allow` has them; the rest of them counts as unreachable. */
export function createLinkProbe({ allow }: { readonly allow: AllowList }): ProbeLinks {
  const ask = createGuardedFetch({ allow, bodies: "none", followsElsewhere: true, ...limits });

  async function probe(address: string, signal: AbortSignal | undefined): Promise<LinkState> {
    try {
      const head = await ask(address, { method: "HEAD", headers, signal });
      if (head.ok) return { kind: "there" };
      // Many servers answer HEAD with nonsense.
      return stateOf(new URL(address), await ask(address, { headers, signal }));
    } catch (error) {
      signal?.throwIfAborted();
      if (!isOctavoError(error)) throw error;
      return { kind: "unreachable", reason: error.message };
    }
  }

  return async (addresses, signal) => {
    const states = new Map<string, LinkState>();
    const hosts = [...Map.groupBy(new Set(addresses), (address) => new URL(address).host).values()];
    const workers = Array.from({ length: maxHostsAtOnce }, async () => {
      for (let own = hosts.pop(); own !== undefined; own = hosts.pop()) {
        for (const address of own) states.set(address, await probe(address, signal));
      }
    });
    await Promise.all(workers);
    return states;
  };
}

/** Who asks for a login, or refuses programs, has something there. */
function stateOf({ host }: URL, { status }: Response): LinkState {
  const reason = `${host} answers with ${status}.`;
  if (goneStatuses.has(status)) return { kind: "gone", reason };
  return status >= 500 ? { kind: "unreachable", reason } : { kind: "there" };
}
