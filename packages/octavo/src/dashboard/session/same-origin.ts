import type { IncomingHttpHeaders } from "node:http";
import { OctavoError } from "@octavo/site/core";

/**
 * Refuses a request that another site's page sent. `SameSite=Strict` keeps the session's cookie from such
 * requests; this holds where a browser does not know it, and for the sign-in, which needs no cookie.
 *
 * Browsers tell where a request comes from in `Sec-Fetch-Site`, on https and on localhost; else `Origin`
 * tells, which a page cannot set.
 */
export function refuseOtherOrigins(headers: IncomingHttpHeaders, baseUrl: string): void {
  const site = headers["sec-fetch-site"];
  const isOwn = site === undefined ? isOwnOrigin(headers, baseUrl) : site === "same-origin";
  if (isOwn) return;
  throw new OctavoError(
    "forbidden",
    "This was not sent from a page of this dashboard, and nothing was done. Open the dashboard and try there.",
  );
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, baseUrl: string): boolean {
  const from = URL.parse(origin ?? "");
  if (!from) return false;
  // One service has several names, e.g. localhost and 127.0.0.1: what the browser addressed is one of them.
  return from.origin === URL.parse(baseUrl)?.origin || from.host === host;
}
