import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { AllowList } from "../../core/index.ts";
import { createGuardedFetch } from "../../net/index.ts";
import type { GuardedFetch } from "../../net/index.ts";
import type { Webhooks } from "../../projects/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobLog } from "../ports.ts";
import type { RunJob, WorkSignals } from "../queue.ts";
import { findAttempt, recordOutcome } from "./attempt.ts";
import type { Attempt, Outcome, RecordOptions } from "./attempt.ts";
import { nextDelayMs, retryDelaysMs } from "./schedule.ts";
import { signatureHeaders } from "./signature.ts";

export interface WebhookWorkerOptions extends RecordOptions {
  readonly webhooks: Pick<Webhooks, "disable" | "readSigningKey">;
  /** Private places that messages may go to. */
  readonly allow: AllowList;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "webhookAttempted">;
  /** From the look-up of the receiver's name to the end of its answer. Default 15 seconds. */
  readonly timeoutMs?: number;
  /** Waits between attempts; after the last one a message is given up. Default about a day in all. */
  readonly delaysMs?: readonly number[];
}

/** Nobody looks at what a receiver answers beyond its status. */
const maxResponseBytes = 64 * 1024;
/** What a request that is under way has to come back when the node stops; the queue waits five seconds. */
const graceMs = 3_000;

/**
 * Makes the function that makes one attempt to deliver a message: read what is due, sign and send it,
 * and record how that ended, the wait for the next attempt included. A worker that dies in between
 * leaves the attempt to another one, which sends the message again under the same ID.
 */
export function createWebhookWorker(options: WebhookWorkerOptions): RunJob {
  const { database, allow, log, metrics, timeoutMs = 15_000 } = options;
  const ask = createGuardedFetch({
    allow,
    timeoutMs,
    maxResponseBytes,
    maxRedirects: 0,
    bodies: "none",
  });
  return async (entry, signals) => {
    const attempt = await findAttempt(database, entry);
    if (!attempt) return;
    using ending = endSignal(signals);
    const outcome = await makeAttempt(options, ask, { attempt, signal: ending.signal });
    if (!(await recordOutcome(options, attempt, outcome))) return;
    metrics.webhookAttempted(outcome.type);
    if (outcome.type === "delivered") return;
    const { deliveryId, webhookId, number } = attempt;
    const { status, error, type, delayMs } = outcome;
    const facts = { deliveryId, webhookId, attempt: number, status, error, delayMs };
    if (type === "retry") log.info(facts, "A webhook's message is sent again later.");
    else log.warn(facts, "A webhook's message was given up.");
  };
}

/** Aborts at once where the attempt was given to another worker, and after a while where the node stops. */
function endSignal({ stopping, lost }: WorkSignals): Disposable & { readonly signal: AbortSignal } {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = () => {
    timer = setTimeout(() => late.abort(), graceMs);
  };
  if (stopping.aborted) wait();
  else stopping.addEventListener("abort", wait, { once: true });
  return {
    signal: AbortSignal.any([lost, late.signal]),
    [Symbol.dispose]() {
      stopping.removeEventListener("abort", wait);
      clearTimeout(timer);
    },
  };
}

/** Throws only where `signal` was aborted: anything else is an outcome. */
async function makeAttempt(
  options: WebhookWorkerOptions,
  ask: GuardedFetch,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): Promise<Outcome> {
  try {
    const response = await send(options, ask, { attempt, signal });
    return outcomeOf(options, attempt, response);
  } catch (error) {
    if (signal.aborted) throw error;
    const { deliveryId, webhookId } = attempt;
    const isFault = !isOctavoError(error);
    if (isFault) options.log.error({ deliveryId, webhookId, err: error }, "A webhook met a fault.");
    const sentence = isFault ? "The message could not be sent." : error.message;
    return retryOrFail(options, attempt, { status: null, error: sentence });
  }
}

async function send(
  { webhooks }: WebhookWorkerOptions,
  ask: GuardedFetch,
  { attempt, signal }: { readonly attempt: Attempt; readonly signal: AbortSignal },
): Promise<Response> {
  const { deliveryId: id, body, url, webhookId } = attempt;
  const key = await webhooks.readSigningKey(webhookId);
  if (!key) throw new OctavoError("not_found", "The webhook was deleted.");
  const timestamp = Math.floor(Date.now() / 1000);
  return await ask(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "user-agent": "Octavo",
      ...signatureHeaders(key, { id, timestamp, body }),
    },
    body,
    signal,
  });
}

function outcomeOf(options: WebhookWorkerOptions, attempt: Attempt, response: Response): Outcome {
  const { status } = response;
  if (response.ok) return { type: "delivered", status };
  if (status === 410) {
    const error = "The receiver answered 410 Gone, and the webhook was disabled.";
    return { type: "gone", status, error };
  }
  const retryAfter = response.headers.get("retry-after");
  return retryOrFail(options, attempt, { status, error: sentenceFor(status), retryAfter });
}

function sentenceFor(status: number): string {
  if (status < 300 || status > 399) return `The receiver answered ${status}.`;
  return `The receiver answered ${status}. Redirects are not followed: make a webhook for the address that it leads to.`;
}

interface Refusal {
  readonly status: number | null;
  readonly error: string;
  readonly retryAfter?: string | null;
}

function retryOrFail(
  { delaysMs = retryDelaysMs }: WebhookWorkerOptions,
  { number }: Attempt,
  { status, error, retryAfter }: Refusal,
): Outcome {
  const delayMs = nextDelayMs({ attempts: number, retryAfter, now: Date.now(), delaysMs });
  if (delayMs === undefined) return { type: "failed", status, error };
  return { type: "retry", status, error, delayMs };
}
