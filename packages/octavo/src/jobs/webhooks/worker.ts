import { createHmac } from "node:crypto";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { parseRetryAfter, type AllowList } from "../../core/index.ts";
import { transact } from "../../db/index.ts";
import type { Database, Tables } from "../../db/index.ts";
import { createGuardedFetch, type GuardedFetch } from "../../net/index.ts";
import type { Webhooks } from "../../projects/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobLog } from "../ports.ts";
import type { RunJob, WorkSignals } from "../queue/dispatcher.ts";
import type { QueueOwner } from "../queue/fair-order.ts";
import type { JobQueue } from "../queue/queue.ts";
import { enqueueAttempt } from "./announce.ts";
import { testEvent } from "./send.ts";

export interface WebhookWorkerOptions extends RecordOptions {
  readonly webhooks: Pick<Webhooks, "disable" | "readSigningKey">;
  /** Private addresses to which messages may be sent. */
  readonly allow: AllowList;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "webhookAttemptEnded">;
  /** The time limit from the name lookup to the end of the response. Defaults to 15 seconds. */
  readonly timeoutMs?: number;
  /** The waits between attempts. After the last attempt, the delivery fails. Defaults to about a day in total. */
  readonly delaysMs?: readonly number[];
}

/** The maximum size of a response. This is enough, because only the status of a receiver's response is shown. */
const maxResponseBytes = 64 * 1024;
/** The time that a request in progress has to finish when the node stops. The queue waits five seconds. */
const graceMs = 3_000;

/**
 * Creates the function that makes one delivery attempt. It reads the due message, signs and sends it, records the
 * outcome, and enqueues the next attempt if it is needed. If the worker dies in between, another worker repeats the
 * attempt and sends the message again with the same ID.
 */
export function createWebhookWorker(options: WebhookWorkerOptions): RunJob {
  const { database, allow, log, metrics, timeoutMs = 15_000 } = options;
  const guardedFetch = createGuardedFetch({
    allow,
    timeoutMs,
    maxResponseBytes,
    maxRedirects: 0,
    bodyMode: "none",
  });
  return async (entry, signals) => {
    const attempt = await findAttempt(database, entry);
    if (!attempt) return;
    using ending = openEndSignal(signals);
    const outcome = await makeAttempt(options, guardedFetch, { attempt, signal: ending.signal });
    if (!(await recordOutcome(options, attempt, outcome))) return;
    metrics.webhookAttemptEnded(outcome.type);
    if (outcome.type === "delivered") return;
    const { deliveryId, webhookId, number } = attempt;
    const { status, error, type, delayMs } = outcome;
    const facts = { deliveryId, webhookId, attempt: number, status, error, delayMs };
    if (type === "retry")
      log.info(facts, "A webhook message could not be delivered and will be retried.");
    else log.warn(facts, "A webhook message could not be delivered; no attempts are left.");
  };
}

/**
 * Returns a signal that aborts immediately if another worker has the attempt, or `graceMs` after the node starts to
 * stop.
 */
function openEndSignal({
  stoppingSignal,
  lostSignal,
}: WorkSignals): Disposable & { readonly signal: AbortSignal } {
  const deadline = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => deadline.abort(), graceMs);
  };
  if (stoppingSignal.aborted) wait();
  else stoppingSignal.addEventListener("abort", wait, { once: true });
  return {
    signal: AbortSignal.any([lostSignal, deadline.signal]),
    [Symbol.dispose]() {
      stoppingSignal.removeEventListener("abort", wait);
      clearTimeout(timer);
    },
  };
}

/** Makes one attempt. Throws only if `signal` was aborted; everything else is an outcome. */
async function makeAttempt(
  options: WebhookWorkerOptions,
  guardedFetch: GuardedFetch,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): Promise<Outcome> {
  try {
    const response = await send(options, guardedFetch, { attempt, signal });
    return determineOutcome(options, attempt, response);
  } catch (error) {
    if (signal.aborted) throw error;
    const { deliveryId, webhookId } = attempt;
    const isFault = !isOctavoError(error);
    if (isFault)
      options.log.error(
        { deliveryId, webhookId, err: error },
        "An unexpected error occurred while sending a webhook message.",
      );
    const sentence = isFault ? "The message could not be sent." : error.message;
    return retryOrFail(options, attempt, { status: null, error: sentence });
  }
}

async function send(
  { webhooks }: WebhookWorkerOptions,
  guardedFetch: GuardedFetch,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): Promise<Response> {
  const { deliveryId: id, body, url, webhookId } = attempt;
  const key = await webhooks.readSigningKey(webhookId);
  if (!key) throw new OctavoError("not_found", "The webhook was deleted.");
  const timestamp = Math.floor(Date.now() / 1000);
  return await guardedFetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Octavo",
      ...createSignatureHeaders(key, { id, timestamp, body }),
    },
    body,
    signal,
  });
}

function determineOutcome(
  options: WebhookWorkerOptions,
  attempt: Attempt,
  response: Response,
): Outcome {
  const { status } = response;
  if (response.ok) return { type: "delivered", status };
  if (status === 410) {
    const error = "The receiver responded with 410 Gone, and the webhook was disabled.";
    return { type: "gone", status, error };
  }
  const retryAfter = response.headers.get("retry-after");
  return retryOrFail(options, attempt, { status, error: describeStatus(status), retryAfter });
}

function describeStatus(status: number): string {
  if (status < 300 || status > 399) return `The receiver responded with ${status}.`;
  return `The receiver responded with ${status}. Redirects are not followed; create a webhook for the target address.`;
}

interface FailedRequest {
  readonly status: number | null;
  readonly error: string;
  readonly retryAfter?: string | null;
}

function retryOrFail(
  { delaysMs = retryDelaysMs }: WebhookWorkerOptions,
  { number, event }: Attempt,
  { status, error, retryAfter }: FailedRequest,
): Outcome {
  // A person who tests a webhook reads the outcome and tries again, so the message is not retried.
  if (event === testEvent) return { type: "failed", status, error };
  const delayMs = computeNextDelayMs({ attempts: number, retryAfter, now: Date.now(), delaysMs });
  if (delayMs === undefined) return { type: "failed", status, error };
  return { type: "retry", status, error, delayMs };
}

/** A due attempt: the content to send, and the address to send it to. */
interface Attempt extends QueueOwner {
  readonly deliveryId: string;
  readonly number: number;
  readonly webhookId: string;
  readonly url: string;
  readonly event: string;
  readonly body: string;
}

/** Finds the attempt of a queue entry. Returns undefined if the attempt has ended, or was deleted with its webhook. */
async function findAttempt({ kysely }: Database, entry: string): Promise<Attempt | undefined> {
  const [deliveryId = "", count = ""] = entry.split("/");
  const number = Number(count);
  const row = await kysely
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .select(["webhooks.id", "webhooks.url", "webhooks.organization_id"])
    .select(["webhook_deliveries.event", "webhook_deliveries.body"])
    .select("webhook_deliveries.project_id")
    .where("webhook_deliveries.id", "=", deliveryId)
    .where("webhook_deliveries.state", "=", "pending")
    .where("webhook_deliveries.attempts", "=", number - 1)
    .executeTakeFirst();
  if (!row || row.body === null) return undefined;
  const { id: webhookId, url, event, body } = row;
  const { organization_id: organizationId, project_id: projectId } = row;
  return { deliveryId, number, organizationId, projectId, webhookId, url, event, body };
}

/** The outcome of an attempt. `status` is null if the receiver did not respond. */
interface Outcome {
  readonly type: "delivered" | "retry" | "failed" | "gone";
  readonly status: number | null;
  /** The error message; undefined if and only if the message was delivered. */
  readonly error?: string;
  /** Milliseconds until the next attempt; set only with `retry`. */
  readonly delayMs?: number;
}

interface RecordOptions {
  readonly database: Database;
  readonly queue: Pick<JobQueue, "enqueue">;
  readonly webhooks: Pick<Webhooks, "disable">;
}

/**
 * Ends an attempt and enqueues the next attempt in the same transaction. Returns false if another worker ended the
 * attempt first.
 */
async function recordOutcome(
  { database, queue, webhooks }: RecordOptions,
  attempt: Attempt,
  outcome: Outcome,
): Promise<boolean> {
  return await transact(database.kysely, async (transaction) => {
    // Locks the webhook's row before the delivery's row. Creating a message takes the locks in this
    // order too.
    if (outcome.type === "gone") await webhooks.disable(transaction, attempt.webhookId);
    if (!(await writeOutcome(transaction, attempt, outcome))) return false;
    if (outcome.type === "gone") await failPending(transaction, attempt.webhookId);
    if (outcome.type === "retry") {
      const { deliveryId, number, organizationId, projectId } = attempt;
      const delayMs = outcome.delayMs ?? 0;
      const next = { deliveryId, number: number + 1, organizationId, projectId, delayMs };
      await enqueueAttempt(transaction, queue, next);
    }
    return true;
  });
}

async function writeOutcome(
  transaction: Kysely<Tables>,
  { deliveryId, number }: Attempt,
  { type, status, error, delayMs = 0 }: Outcome,
): Promise<boolean> {
  const now = new Date();
  const end = {
    state: type === "delivered" ? "delivered" : "failed",
    next_attempt_at: null,
    ended_at: now,
  } as const;
  const { numUpdatedRows } = await transaction
    .updateTable("webhook_deliveries")
    .set({
      attempts: number,
      attempted_at: now,
      response_status: status,
      error: error ?? null,
      ...(type === "retry" ? { next_attempt_at: new Date(now.getTime() + delayMs) } : end),
    })
    .where("id", "=", deliveryId)
    .where("state", "=", "pending")
    .where("attempts", "=", number - 1)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function failPending(transaction: Kysely<Tables>, webhookId: string): Promise<void> {
  await transaction
    .updateTable("webhook_deliveries")
    .set({
      state: "failed",
      error:
        "Not sent: the receiver responded with 410 Gone earlier, and the webhook was disabled.",
      next_attempt_at: null,
      ended_at: sql`now()`,
    })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", "pending")
    .execute();
}

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/**
 * The waits between attempts. The first waits are short, for brief faults; the total is about a day, for receivers that
 * people must repair.
 */
export const retryDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  8 * hourMs,
  10 * hourMs,
];

/** The maximum `Retry-After`. Waiting a day for one attempt would leave no time for the others. */
const maxRetryAfterMs = 6 * hourMs;

interface RetryOptions {
  /** The number of attempts made so far. */
  readonly attempts: number;
  /** The response's `Retry-After`, if present. */
  readonly retryAfter?: string | null | undefined;
  readonly now: number;
  readonly delaysMs: readonly number[];
}

/**
 * Returns the wait before the next attempt, or undefined if no attempts are left. The wait varies randomly by up to a
 * fifth, so that messages that failed together are not retried together. It is never shorter than the receiver's
 * `Retry-After`, up to `maxRetryAfterMs`.
 */
export function computeNextDelayMs(options: RetryOptions): number | undefined {
  const delayMs = options.delaysMs[options.attempts - 1];
  if (delayMs === undefined) return undefined;
  const requestedMs = parseRetryAfter(options.retryAfter, options.now) ?? 0;
  const jitteredMs = delayMs * (0.8 + Math.random() * 0.4);
  return Math.max(jitteredMs, Math.min(requestedMs, maxRetryAfterMs));
}

interface SignedMessage {
  /** The same on every attempt, so that a receiver recognizes duplicates. */
  readonly id: string;
  /** When the message was sent, as a Unix timestamp in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the headers of Standard Webhooks 1.0.0, which prove to the receiver who sent the message, and when. */
function createSignatureHeaders(
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
