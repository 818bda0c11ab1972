import type { IncomingMessage } from "node:http";
import type { Outgoing } from "./exchange.ts";

export interface RedirectedRequest {
  readonly url: URL;
  readonly outgoing: Outgoing;
}

/**
 * The request to which a response redirects. Undefined if it does not redirect, if a client must not
 * follow it, and if it leads to another origin, unless `followsElsewhere` and the request only reads.
 */
export function redirectOf(
  { url, outgoing }: RedirectedRequest,
  { statusCode: status, headers }: IncomingMessage,
  followsElsewhere: boolean,
): RedirectedRequest | undefined {
  const isRead = /^(?:GET|HEAD)$/i.test(outgoing.method);
  const repeats = status === 307 || status === 308;
  if (!repeats && !(isRead && (status === 301 || status === 302))) return undefined;
  const target = URL.parse(headers.location ?? "", url.href);
  if (!target) return undefined;
  if (target.origin === url.origin) return { url: target, outgoing };
  if (!followsElsewhere || !isRead) return undefined;
  return { url: target, outgoing: withoutSecrets(outgoing) };
}

/** What a host that another one named may see: everything else may be meant only for the first. */
function withoutSecrets({ method, headers }: Outgoing): Outgoing {
  const shown = ["accept", "accept-encoding", "user-agent"];
  const rest = Object.entries(headers).filter(([name]) => shown.includes(name.toLowerCase()));
  return { method, headers: Object.fromEntries(rest), body: undefined };
}
