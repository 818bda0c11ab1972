import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** The programs whose deliveries are understood. `standard` is any that signs as Standard Webhooks has it. */
export const hookSenders = ["github", "gitea", "forgejo", "gitlab", "standard"] as const;
export type HookSender = (typeof hookSenders)[number];

/** A request to a hook, as it arrived. */
export interface RawDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A delivery whose sender knows the hook's secret. */
export interface VerifiedDelivery {
  readonly sender: HookSender;
  /** The sender's name of the delivery, which is the same when it is sent again. */
  readonly id: string;
  /** The sender's word for what happened. */
  readonly event: string;
}

const secretPrefix = "whsec_";
const maxIdLength = 200;
const maxEventLength = 100;
/** The age from which a signed time is refused, in seconds. Standard Webhooks proposes five minutes. */
const maxAgeSeconds = 5 * 60;

/**
 * Verifies that the sender of a delivery knows the hook's secret, `whsec_` and base64. Code hosts use the secret as a
 * text, and Standard Webhooks its decoded bytes. Returns undefined if nothing in the delivery proves it.
 */
export function verifyDelivery(
  delivery: RawDelivery,
  secret: string,
  now: Date,
): VerifiedDelivery | undefined {
  // All ways that the sender names are tried, so that the time does not depend on which one fails.
  const verified = [
    verifyHex(delivery, secret),
    verifyToken(delivery, secret),
    verifyStandard(delivery, secret, now),
  ];
  if (!verified.includes(true)) return undefined;
  const { headers, body } = delivery;
  const sender = findSender(headers);
  const names = idHeaders[sender].map((name) => readHeader(headers, name));
  const id = names.find((name) => name !== "") ?? createHash("sha256").update(body).digest("hex");
  const event = eventHeaders[sender].map((name) => readHeader(headers, name)).find((name) => name !== "") ?? "push"; // prettier-ignore
  return { sender, id: id.slice(0, maxIdLength), event: event.slice(0, maxEventLength) };
}

/** Reports whether a request has any header that could prove that its sender knows a secret. */
export function hasProof(headers: IncomingHttpHeaders): boolean {
  const names = [...hexHeaders, tokenHeader, standardHeader];
  return names.some((name) => headers[name] !== undefined);
}

const hexHeaders = ["x-hub-signature-256", "x-gitea-signature", "x-forgejo-signature"] as const;
const tokenHeader = "x-gitlab-token";
const standardHeader = "webhook-signature";

/** Headers that name a delivery, the most exact one first. */
const idHeaders: Readonly<Record<HookSender, readonly string[]>> = {
  github: ["x-github-delivery"],
  gitea: ["x-gitea-delivery"],
  forgejo: ["x-forgejo-delivery", "x-gitea-delivery"],
  gitlab: ["idempotency-key", "webhook-id", "x-gitlab-event-uuid"],
  standard: ["webhook-id"],
};

const eventHeaders: Readonly<Record<HookSender, readonly string[]>> = {
  github: ["x-github-event"],
  gitea: ["x-gitea-event"],
  forgejo: ["x-forgejo-event", "x-gitea-event"],
  gitlab: ["x-gitlab-event"],
  standard: [],
};

/** Gitea also sends the headers of GitHub, and Forgejo also those of Gitea. */
function findSender(headers: IncomingHttpHeaders): HookSender {
  const order = ["forgejo", "gitea", "gitlab", "github"] as const;
  return order.find((sender) => readHeader(headers, `x-${sender}-event`) !== "") ?? "standard";
}

function readHeader(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value.replaceAll(/[^\x20-\x7e]/g, "") : "";
}

/** Verifies the signatures of GitHub, Gitea and Forgejo: the HMAC of the body, in hexadecimal digits. */
function verifyHex({ headers, body }: RawDelivery, secret: string): boolean {
  const given = hexHeaders.map((name) => readHeader(headers, name).replace(/^sha256=/, ""));
  const signatures = given.filter((signature) => signature !== "");
  if (signatures.length === 0) return false;
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return signatures.map((signature) => isEqual(signature, expected)).includes(true);
}

/** Verifies the secret token of GitLab, which is the secret itself. */
function verifyToken({ headers }: RawDelivery, secret: string): boolean {
  return isEqual(readHeader(headers, tokenHeader), secret);
}

/** Verifies a signature of Standard Webhooks, also GitLab's: of the ID, the time and the body. */
function verifyStandard({ headers, body }: RawDelivery, secret: string, now: Date): boolean {
  const given = readHeader(headers, standardHeader).split(" ").slice(0, 10);
  if (given[0] === "") return false;
  const time = readHeader(headers, "webhook-timestamp");
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  const signed = `${readHeader(headers, "webhook-id")}.${time}.`;
  const expected = createHmac("sha256", key).update(signed).update(body).digest("base64");
  const isSigned = given.map((each) => isEqual(each, `v1,${expected}`)).includes(true);
  const age = Math.abs(now.getTime() / 1000 - Number(time || "0"));
  return isSigned && age <= maxAgeSeconds;
}

/** Compares hashes, because they have the same length whatever is compared. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}
