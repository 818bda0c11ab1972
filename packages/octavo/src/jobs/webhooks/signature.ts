import { createHmac } from "node:crypto";

export interface SignedMessage {
  /** The same on every attempt, so that a receiver recognizes duplicates. */
  readonly id: string;
  /** The time of sending, in seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks 1.0.0, which prove to the receiver who sent the message and when. */
export function createSignatureHeaders(
  key: Uint8Array,
  { id, timestamp, body }: SignedMessage,
): Record<string, string> {
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`,
  };
}
