import type { IncomingHttpHeaders } from "node:http";
import { OctavoError } from "@octavo/site/core";

/**
 * Refuses a request that another site's page sent. `SameSite=Strict` already withholds the session's cookie from
 * such requests; this also covers browsers without it, and the sign-in, which needs no cookie.
 *
 * On https and on localhost, browsers send the request's source in `Sec-Fetch-Site`; otherwise `Origin` has
 * it, which a page cannot set.
 */
export function refuseOtherOrigins(headers: IncomingHttpHeaders, baseUrl: string): void {
  const site = headers["sec-fetch-site"];
  const isOwn = site === undefined ? isOwnOrigin(headers, baseUrl) : site === "same-origin";
  if (isOwn) return;
  throw new OctavoError(
    "forbidden",
    "The request did not come from a page of this dashboard and was refused. Open the dashboard and try again.",
  );
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, baseUrl: string): boolean {
  const from = URL.parse(origin ?? "");
  if (!from) return false;
  // A service can have several names, e.g. localhost and 127.0.0.1; the request's host is one of them.
  return from.origin === URL.parse(baseUrl)?.origin || from.host === host;
}
