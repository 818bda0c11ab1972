import { OctavoError } from "@octavo/site/core";
import type { AuditLog, FindOperator } from "../../projects/index.ts";

/** Keys have 192 random bits and cannot be guessed; the throttle only limits the cost of attempts. */
const windowMs = 5 * 60 * 1000;
/** The maximum number of entries in one node's memory. The oldest entries are removed first. */
const maxEntries = 10_000;

/** Counts failed sign-ins by subjects, such as their address. */
export interface SignInThrottle {
  /** Throws `rate_limited` if one of the subjects has too many failures; counts nothing. */
  check(subjects: readonly string[]): void;
  /**
   * Records a failure for each subject, e.g. an address or the first characters of a key. Throws `rate_limited` if any
   * subject has too many failures.
   */
  recordFailure(subjects: readonly string[]): void;
}

interface Entry {
  count: number;
  readonly until: number;
}

export interface ThrottleOptions {
  /** Follows the sentence about when to try again. */
  readonly advice?: string;
  readonly maxFailures?: number;
  readonly now?: () => number;
}

export function createSignInThrottle({
  advice = "A valid key works immediately.",
  maxFailures = 10,
  now = Date.now,
}: ThrottleOptions = {}): SignInThrottle {
  const failures = new Map<string, Entry>();

  function entryOf(subject: string): Entry {
    const entry = failures.get(subject);
    if (entry && entry.until > now()) return entry;
    failures.delete(subject);
    const fresh = { count: 0, until: now() + windowMs };
    failures.set(subject, fresh);
    const oldest = failures.keys().next();
    if (failures.size > maxEntries && !oldest.done) failures.delete(oldest.value);
    return fresh;
  }

  function check(entries: readonly Entry[]): void {
    const full = entries.find(({ count }) => count >= maxFailures);
    if (full) throw tooMany(Math.ceil((full.until - now()) / 1000), advice);
  }

  return {
    check: (subjects) => check(subjects.flatMap((subject) => failures.get(subject) ?? []).filter(({ until }) => until > now())), // prettier-ignore
    recordFailure(subjects) {
      const entries = subjects.map(entryOf);
      check(entries);
      for (const entry of entries) entry.count++;
    },
  };
}

function tooMany(retryAfterSeconds: number, advice: string): OctavoError {
  return new OctavoError(
    "rate_limited",
    `Too many sign-ins failed from this address or with a similar key. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes. ${advice}`.trim(),
    { details: { retryAfterSeconds } },
  );
}

/** A sign-in that was refused. */
interface RefusedSignIn {
  /** The browser's IP address. */
  readonly address: string;
  /** A message that contains no part of a key. */
  readonly reason: string;
  /** Whether the sign-in was refused because of too many earlier refusals. */
  readonly isThrottled?: boolean;
}

/** Records refused sign-ins in the audit log of the organization that runs the service. */
export type RecordRefusal = (refused: RefusedSignIn) => Promise<void>;

interface RefusalOptions {
  readonly audit: Pick<AuditLog, "record">;
  readonly findOperator: FindOperator;
  readonly now?: () => number;
}

/**
 * The maximum number of records that this node makes per window, so that refused sign-ins cannot fill the log or the
 * database.
 */
const maxRecorded = 20;
const maxReasonLength = 300;

/**
 * Returns a recorder. It records one throttled sign-in per address and window. After `maxRecorded` records in a window,
 * it adds one record that further refusals are not recorded.
 */
export function createRefusalRecorder(options: RefusalOptions): RecordRefusal {
  const { audit, findOperator, now = Date.now } = options;
  let recent = openWindow(now());

  return async ({ address, reason, isThrottled = false }) => {
    if (recent.until <= now()) recent = openWindow(now());
    if (isThrottled && recent.throttled.has(address)) return;
    if (recent.count > maxRecorded) return;
    recent.count++;
    if (isThrottled) recent.throttled.add(address);
    const isLast = recent.count > maxRecorded;
    const organizationId = await findOperator();
    if (organizationId === undefined) return;
    const details = isLast
      ? {
          reason:
            "Too many sign-ins were refused. No more refusals are recorded for up to 5 minutes.",
        }
      : { address, reason: reason.slice(0, maxReasonLength).toWellFormed() };
    const target = { id: address, name: address };
    await audit.record({ organizationId }, { action: "session.refused", target, details });
  };
}

function openWindow(at: number) {
  return { until: at + windowMs, count: 0, throttled: new Set<string>() };
}
