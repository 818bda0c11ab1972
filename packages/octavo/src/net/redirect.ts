import type { IncomingMessage } from "node:http";
import type { Outgoing } from "./exchange.ts";

export interface Redirect {
  readonly url: URL;
  readonly outgoing: Outgoing;
}

/**
 * Where an answer sends a request, and what is sent there. Undefined where it is none, where a client may not
 * follow it, and where it leads to another origin unless `followsElsewhere` and nothing but reading is asked for.
 */
export function redirectOf(
  { url, outgoing }: Redirect,
  { statusCode: status, headers }: IncomingMessage,
  followsElsewhere: boolean,
): Redirect | undefined {
  const isRead = /^(?:GET|HEAD)$/i.test(outgoing.method);
  const repeats = status === 307 || status === 308;
  if (!repeats && !(isRead && (status === 301 || status === 302))) return undefined;
  const target = URL.parse(headers.location ?? "", url.href);
  if (!target) return undefined;
  if (target.origin === url.origin) return { url: target, outgoing };
  if (!followsElsewhere || !isRead) return undefined;
  return { url: target, outgoing: withoutSecrets(outgoing) };
}

/** What may be seen by a host that another one named: everything else may be meant for the first alone. */
function withoutSecrets({ method, headers }: Outgoing): Outgoing {
  const shown = ["accept", "accept-encoding", "user-agent"];
  const rest = Object.entries(headers).filter(([name]) => shown.includes(name.toLowerCase()));
  return { method, headers: Object.fromEntries(rest), body: undefined };
}
