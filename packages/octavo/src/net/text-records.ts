import { Resolver } from "node:dns/promises";
import { OctavoError } from "@octavo/site/core";

/** The time limit for each query to a DNS server, and the number of tries. */
const queryTimeoutMs = 3_000;
const tries = 2;
/** The maximum number of a name's records that are read. */
const maxRecords = 50;

/**
 * Creates a function that returns the values of a name's TXT records. `servers` are addresses of DNS servers, with a
 * port unless it is 53. If the list is empty, the system's servers are queried. The function throws `unavailable` if no
 * server responds.
 */
export function createTextRecordReader(
  servers: readonly string[],
): (name: string) => Promise<readonly string[]> {
  return async (name) => {
    const resolver = new Resolver({ timeout: queryTimeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      const records = await resolver.resolveTxt(name);
      // A long value is split into several strings.
      return records.slice(0, maxRecords).map((parts) => parts.join(""));
    } catch (cause) {
      const { code = "" } = cause as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA") return [];
      throw new OctavoError(
        "unavailable",
        `The TXT records of ${name} could not be looked up (${code}). Try again in a few minutes.`,
        { cause },
      );
    }
  };
}
