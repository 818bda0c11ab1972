import { OctavoError } from "@octavo/site/core";
import { findDestination } from "../core/index.ts";
import type { AllowList, RemoteHosts } from "../core/index.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";

/**
 * Fetches a file that a site references on another host. Rejects as `GuardedFetch` does, and with `unavailable` if the
 * response's status is not 200. Does not send credentials, cookies or a referrer.
 */
export type RemoteFetch = (
  url: string,
  options: { readonly maxBytes: number; readonly signal?: AbortSignal },
) => Promise<{ bytes: Uint8Array; mediaType: string | undefined }>;

const fetchLimits = {
  /** The time limit for one file with its redirects. */
  timeoutMs: 30_000,
  /** An upper bound. Callers set a lower limit. */
  maxResponseBytes: 256 * 1024 * 1024,
  /** Image hosts redirect to their content networks, sometimes more than once. */
  maxRedirects: 5,
} as const;
/** Some hosts reject requests without a user agent. */
const headers = { "user-agent": "Octavo", accept: "*/*" };

interface RemoteFetchOptions {
  readonly hosts: RemoteHosts;
  /** Hosts on this list are also allowed. */
  readonly allow: AllowList;
}

export function createRemoteFetch({ hosts, allow }: RemoteFetchOptions): RemoteFetch {
  function findRefusal(url: URL): string | undefined {
    const destination = findDestination(url);
    const isAllowed = destination && allow.allowsHost(destination.host, destination.port);
    if (isAllowed === true || hosts.allows(url.hostname)) return undefined;
    return `${url.host} is not among the hosts whose files this service fetches for sites. The operator can allow it with OCTAVO_REMOTE_HOSTS=${url.hostname}.`;
  }
  const ask = createGuardedFetch({ allow, findRefusal, followsOtherOrigins: true, ...fetchLimits });
  return async (url, { maxBytes, signal }) => {
    const response = await ask(url, { headers, signal, maxResponseBytes: maxBytes });
    if (response.status !== 200) {
      const { host } = new URL(url);
      throw new OctavoError("unavailable", `${host} responded with ${response.status}.`);
    }
    const mediaType = response.headers.get("content-type")?.split(";", 1)[0]?.trim();
    const bytes = new Uint8Array(await response.arrayBuffer());
    return { bytes, mediaType: mediaType === "" ? undefined : mediaType };
  };
}
