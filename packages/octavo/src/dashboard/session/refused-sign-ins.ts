import type { AuditLog, FindOperator } from "../../projects/index.ts";

/** A sign-in that was refused. */
export interface RefusedSignIn {
  /** The browser's IP address. */
  readonly address: string;
  /** A message that contains no part of a key. */
  readonly reason: string;
  /** Whether it was refused because of too many earlier refusals. */
  readonly isThrottled?: boolean;
}

/** Records refused sign-ins in the audit log of the organization that runs the service. */
export type RecordRefusal = (refused: RefusedSignIn) => Promise<void>;

export interface RefusalOptions {
  readonly audit: Pick<AuditLog, "record">;
  readonly findOperator: FindOperator;
  readonly now?: () => number;
}

const windowMs = 5 * 60 * 1000;
/**
 * The maximum number of records by this node per window, so that refused sign-ins cannot fill the log or the database.
 */
const maxRecorded = 20;
const maxReasonLength = 300;

/**
 * Returns a recorder. Of throttled sign-ins, it records one per address and window. After `maxRecorded` records in a
 * window, it records once more that further refusals are not recorded.
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
      ? { reason: "Too many sign-ins were refused; more are not recorded for up to 5 minutes." }
      : { address, reason: reason.slice(0, maxReasonLength).toWellFormed() };
    const target = { id: address, name: address };
    await audit.record({ organizationId }, { action: "session.refused", target, details });
  };
}

function openWindow(at: number) {
  return { until: at + windowMs, count: 0, throttled: new Set<string>() };
}
