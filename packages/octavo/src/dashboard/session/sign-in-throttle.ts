import { OctavoError } from "@octavo/site/core";
import type { ActorScope, AuditLog, FindOperator } from "../../projects/index.ts";

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
  /** The holder of a valid key. If omitted, the refusal concerns the organization that runs the service. */
  readonly by?: ActorScope;
}

/** Records refused sign-ins in the audit log. */
export interface RefusalRecorder {
  readonly record: (refused: RefusedSignIn) => Promise<void>;
  /** Ends the window: records how many refusals it has without a record of their own, if there are any. */
  readonly flush: () => Promise<void>;
}

interface RefusalOptions {
  readonly audit: Pick<AuditLog, "record">;
  readonly findOperator: FindOperator;
  /** Reports an error of a window that ends by itself. */
  readonly onError: (error: unknown) => void;
  readonly now?: () => number;
}

/** The maximum numbers of records per window, so that refused sign-ins cannot fill the log or the database. */
const maxRecorded = { perAddress: 10, perNode: 50 };
const maxReasonLength = 300;

/**
 * Returns a recorder. It records each refusal of an address, up to ten in a window and up to fifty of all addresses, and
 * one throttled sign-in per address and window. At the end of the window, one record has the number of the others.
 */
export function createRefusalRecorder(options: RefusalOptions): RefusalRecorder {
  const { audit, findOperator, onError, now = Date.now } = options;
  let recent = openWindow(now());

  async function write(given: RefusedSignIn, details: Readonly<Record<string, unknown>>) {
    const organizationId = given.by?.organizationId ?? (await findOperator());
    if (organizationId === undefined) return;
    const target = { id: given.address, name: given.address };
    const by = { organizationId, actor: given.by?.actor };
    await audit.record(by, { action: "session.refused", target, details });
  }

  async function flush(): Promise<void> {
    const { refusals, addresses, since, timer } = recent.rest;
    clearTimeout(timer);
    recent = openWindow(now());
    if (refusals === 0) return;
    const counts = `${refusals} more refused sign-ins from ${addresses.size} addresses`;
    const reason = `${counts} have no record of their own.`;
    const details = { reason, refusals, addresses: addresses.size, since: since.toISOString() };
    await write({ address: "several addresses", reason }, details);
  }

  return {
    flush,
    async record(refused) {
      const { address, isThrottled = false } = refused;
      if (recent.until <= now()) await flush();
      const count = recent.counts.get(address) ?? 0;
      const isFull = recent.total >= maxRecorded.perNode || count >= maxRecorded.perAddress;
      if (
        isThrottled ? recent.throttled.has(address) || recent.total >= maxRecorded.perNode : isFull
      ) {
        countUnrecorded(recent, address);
        recent.rest.timer ??= setTimeout(() => void flush().catch(onError), windowMs).unref();
        return;
      }
      recent.total += 1;
      recent.counts.set(address, count + 1);
      if (isThrottled) recent.throttled.add(address);
      const reason = refused.reason.slice(0, maxReasonLength).toWellFormed();
      await write(refused, { address, reason });
    },
  };
}

function openWindow(at: number) {
  const rest = {
    refusals: 0,
    addresses: new Set<string>(),
    since: new Date(at),
    timer: undefined as NodeJS.Timeout | undefined,
  };
  const counts = new Map<string, number>();
  return { until: at + windowMs, total: 0, counts, throttled: new Set<string>(), rest };
}

function countUnrecorded({ rest }: ReturnType<typeof openWindow>, address: string): void {
  rest.refusals += 1;
  if (rest.addresses.size < maxEntries) rest.addresses.add(address);
}
