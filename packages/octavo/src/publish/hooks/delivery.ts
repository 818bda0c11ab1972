import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { z } from "zod";
import { tryParseJson } from "../../core/index.ts";

/**
 * The programs whose deliveries can be parsed. `standard` is any program that signs according to Standard Webhooks.
 */
export const hookSenders = ["github", "gitea", "forgejo", "gitlab", "standard"] as const;
export type HookSender = (typeof hookSenders)[number];

/** A request to a hook, as it arrived. */
interface RawDelivery {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A delivery whose sender knows the hook's secret. */
interface VerifiedDelivery {
  readonly sender: HookSender;
  /** The sender's identifier for the delivery, which stays the same when it is sent again. */
  readonly id: string;
  /** The sender's name for the event. */
  readonly event: string;
  readonly content: ParsedDelivery;
}

const secretPrefix = "whsec_";
const maxIdLength = 200;
const maxEventLength = 100;
/** The maximum age of a signed timestamp, in seconds. Standard Webhooks proposes five minutes. */
const maxAgeSeconds = 5 * 60;

/**
 * Verifies that the sender of a delivery knows the hook's secret, which consists of `whsec_` and base64, and parses the
 * delivery. Code hosts use the secret as text, and Standard Webhooks its decoded bytes. Returns undefined if nothing in
 * the delivery proves that the sender knows the secret.
 */
export function parseDelivery(
  delivery: RawDelivery,
  secret: string,
  now: Date,
): VerifiedDelivery | undefined {
  // All methods are tried, so that the time does not depend on which one fails.
  const proofs = [
    verifyHex(delivery, secret),
    verifyToken(delivery, secret),
    verifyStandard(delivery, secret, now),
  ];
  if (!proofs.includes(true)) return undefined;
  const { headers, body } = delivery;
  const sender = findSender(headers);
  const names = idHeaders[sender].map((name) => readHeader(headers, name));
  const id = names.find((name) => name !== "") ?? createHash("sha256").update(body).digest("hex");
  const event = eventHeaders[sender].map((name) => readHeader(headers, name)).find((name) => name !== "") ?? "push"; // prettier-ignore
  const verified = { sender, id: id.slice(0, maxIdLength), event: event.slice(0, maxEventLength) };
  return { ...verified, content: readPush(verified, delivery) };
}

/** Reports whether a request has any header that could prove that its sender knows a secret. */
export function hasProof(headers: IncomingHttpHeaders): boolean {
  const names = [...hexHeaders, tokenHeader, standardHeader];
  return names.some((name) => headers[name] !== undefined);
}

const hexHeaders = ["x-hub-signature-256", "x-gitea-signature", "x-forgejo-signature"] as const;
const tokenHeader = "x-gitlab-token";
const standardHeader = "webhook-signature";

/** Headers that identify a delivery, in order of preference. */
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

/** Gitea also sends GitHub's headers, and Forgejo also sends Gitea's. */
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
  const candidates = hexHeaders.map((name) => readHeader(headers, name).replace(/^sha256=/, ""));
  const signatures = candidates.filter((signature) => signature !== "");
  if (signatures.length === 0) return false;
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return signatures.map((signature) => isEqual(signature, expected)).includes(true);
}

/** Verifies the secret token of GitLab, which is the secret itself. */
function verifyToken({ headers }: RawDelivery, secret: string): boolean {
  return isEqual(readHeader(headers, tokenHeader), secret);
}

/** Verifies a Standard Webhooks signature, which GitLab also uses, of the ID, the time and the body. */
function verifyStandard({ headers, body }: RawDelivery, secret: string, now: Date): boolean {
  const candidates = readHeader(headers, standardHeader).split(" ").slice(0, 10);
  if (candidates[0] === "") return false;
  const time = readHeader(headers, "webhook-timestamp");
  const key = Buffer.from(secret.slice(secretPrefix.length), "base64");
  const signedPrefix = `${readHeader(headers, "webhook-id")}.${time}.`;
  const expected = createHmac("sha256", key).update(signedPrefix).update(body).digest("base64");
  const hasValidSignature = candidates
    .map((each) => isEqual(each, `v1,${expected}`))
    .includes(true);
  const ageSeconds = Math.abs(now.getTime() / 1000 - Number(time || "0"));
  return hasValidSignature && ageSeconds <= maxAgeSeconds;
}

/** Compares hashes of the texts, because `timingSafeEqual` requires equal lengths. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [given, expected].map((text) => createHash("sha256").update(text).digest());
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

/** A branch that moved, as a delivery reports it. */
export interface ReportedPush {
  /** The branch that moved; undefined if the sender does not report it, as custom senders may not. */
  readonly branch: string | undefined;
  /** The commit to which it moved, if reported. */
  readonly commit: string | undefined;
  /** The repository's default branch, if reported. */
  readonly defaultBranch: string | undefined;
}

/** A push, or the reason why a delivery is not one. */
export type ParsedDelivery =
  | { readonly push: ReportedPush }
  | { readonly push: undefined; readonly reason: string };

const Branch = z.string().max(1_000).optional().catch(undefined);

const Payload = z.object({
  ref: Branch,
  after: z.string().optional().catch(undefined),
  deleted: z.boolean().optional().catch(undefined),
  repository: z.object({ default_branch: Branch }).optional().catch(undefined),
  project: z.object({ default_branch: Branch }).optional().catch(undefined),
});

const pushEvents: ReadonlySet<string> = new Set(["push", "Push Hook"]);
const pullRequestEvents: ReadonlySet<string> = new Set(["pull_request", "Merge Request Hook"]);
const branchPrefix = "refs/heads/";
const maxShownLength = 100;

/**
 * Parses the content of a verified delivery. Each event of a `standard` sender is treated as a push, whatever its
 * content. If the content has a `ref`, this is the branch that was pushed.
 */
function readPush(
  { sender, event }: Pick<VerifiedDelivery, "sender" | "event">,
  { headers, body }: RawDelivery,
): ParsedDelivery {
  if (event === "ping") return ignore("This was a test delivery.");
  if (pullRequestEvents.has(event))
    return ignore("The open pull requests are checked for changes.");
  const isStandard = sender === "standard";
  if (!isStandard && !pushEvents.has(event)) {
    return ignore(`The event ${JSON.stringify(event.slice(0, maxShownLength))} is not a push.`);
  }
  const payload = Payload.safeParse(parsePayload(body, headers["content-type"] ?? "")).data;
  if (payload?.ref !== undefined) return readRef(payload, payload.ref);
  if (isStandard) return { push: anyPush };
  return ignore(
    payload ? "The push does not specify a branch." : "The content is not a JSON object.",
  );
}

function readRef(
  { after = "", deleted, repository, project }: z.output<typeof Payload>,
  ref: string,
): ParsedDelivery {
  if (ref.startsWith("refs/tags/"))
    return ignore(`${shortenForMessage(ref)} is a tag, not a branch.`);
  const branch = ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : ref;
  if (deleted === true || /^0+$/.test(after)) {
    return ignore(`The branch ${shortenForMessage(branch)} was deleted.`);
  }
  const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(after) ? after : undefined;
  const defaultBranch = repository?.default_branch ?? project?.default_branch;
  return { push: { branch, commit, defaultBranch } };
}

const anyPush: ReportedPush = { branch: undefined, commit: undefined, defaultBranch: undefined };

function ignore(reason: string): ParsedDelivery {
  return { push: undefined, reason };
}

function shortenForMessage(ref: string): string {
  return ref.replaceAll("\0", "").slice(0, maxShownLength).toWellFormed();
}

/** Parses a body as JSON, or as the form in which GitHub and Gitea can send JSON. */
function parsePayload(body: Buffer, type: string): unknown {
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  const text = body.toString("utf8");
  return tryParseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
}
