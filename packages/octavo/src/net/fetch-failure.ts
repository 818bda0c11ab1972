import { isOctavoError, OctavoError } from "@octavo/site/core";

/** The server of a request, for messages. */
export interface Subject {
  /** E.g. `Anthropic`; of an address, only its host and port. */
  readonly label: string;
  /** Where its address comes from: the name of a setting, or `the address`. */
  readonly source: string;
}

/**
 * The failure of a request, as an error for a person. Node's own errors are not causes: that of a malformed
 * response contains what the server sent.
 */
export function describeFetchFailure(error: unknown, { label, source }: Subject): OctavoError {
  if (isOctavoError(error)) return error;
  const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
  if (code === undefined) {
    return new OctavoError("internal", `The request to ${label} could not be sent.`, {
      cause: error,
    });
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) {
    return new OctavoError(
      "invalid_input",
      `The certificate of ${label} is not trusted (${code}). NODE_EXTRA_CA_CERTS names a file with further authorities.`,
    );
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
    return new OctavoError(
      "unavailable",
      `${label} cannot be reached: its host name is unknown. Check ${source} and the network.`,
    );
  }
  return new OctavoError("unavailable", `The connection to ${label} failed (${code}).`);
}

/** The error of a request that the caller's signal aborted: its reason, or `cancelled` if it has none of its own. */
export function describeAbort(signal: AbortSignal, { label }: Subject): unknown {
  const reason: unknown = signal.reason;
  const isPlain = reason instanceof DOMException && reason.name === "AbortError";
  return isPlain ? new OctavoError("cancelled", `Cancelled while asking ${label}.`) : reason;
}
