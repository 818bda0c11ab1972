import { z } from "zod";
import { tryParseJson } from "../../core/index.ts";
import type { RawDelivery, VerifiedDelivery } from "./verify-delivery.ts";

/** A branch that moved, as a delivery reports it. */
export interface ReportedPush {
  /** The branch that moved; undefined if the sender does not say, as senders of their own kind may not. */
  readonly branch: string | undefined;
  /** The commit to which it moved, if it is told. */
  readonly commit: string | undefined;
  /** The repository's default branch, if it is told. */
  readonly defaultBranch: string | undefined;
}

/** A push, or why a delivery is none. */
export type ReadDelivery =
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
const shownLength = 100;

/**
 * Reads what a verified delivery reports. Senders of Standard Webhooks need no particular content: any event of theirs
 * is taken for a push, to `ref` if they name one.
 */
export function readPush(verified: VerifiedDelivery, { headers, body }: RawDelivery): ReadDelivery {
  const { sender, event } = verified;
  if (event === "ping") return ignore("A test, which arrived.");
  if (pullRequestEvents.has(event)) return ignore("The open pull requests are looked at.");
  const isStandard = sender === "standard";
  if (!isStandard && !pushEvents.has(event)) {
    return ignore(`The event ${JSON.stringify(event.slice(0, shownLength))} is not a push.`);
  }
  const payload = Payload.safeParse(parsePayload(body, headers["content-type"] ?? "")).data;
  if (payload?.ref !== undefined) return readRef(payload, payload.ref);
  if (isStandard) return { push: anyPush };
  return ignore(payload ? "The push names no branch." : "The content is not a JSON object.");
}

function readRef(
  { after = "", deleted, repository, project }: z.output<typeof Payload>,
  ref: string,
): ReadDelivery {
  if (ref.startsWith("refs/tags/")) return ignore(`${shorten(ref)} is a tag, not a branch.`);
  const branch = ref.startsWith(branchPrefix) ? ref.slice(branchPrefix.length) : ref;
  if (deleted === true || /^0+$/.test(after)) {
    return ignore(`The branch ${shorten(branch)} was deleted.`);
  }
  const commit = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(after) ? after : undefined;
  const defaultBranch = repository?.default_branch ?? project?.default_branch;
  return { push: { branch, commit, defaultBranch } };
}

const anyPush: ReportedPush = { branch: undefined, commit: undefined, defaultBranch: undefined };

function ignore(reason: string): ReadDelivery {
  return { push: undefined, reason };
}

function shorten(ref: string): string {
  return ref.replaceAll("\0", "").slice(0, shownLength).toWellFormed();
}

/** Parses a body as JSON, or as the form in which GitHub and Gitea can send JSON. */
function parsePayload(body: Buffer, type: string): unknown {
  const isForm = type.startsWith("application/x-www-form-urlencoded");
  const text = body.toString("utf8");
  return tryParseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
}
