import type { AuditLog, FindOperator } from "../../projects/index.ts";

/** A sign-in that was refused. */
export interface RefusedSignIn {
  /** Of the browser. */
  readonly address: string;
  /** A message, without any part of a key. */
  readonly reason: string;
  /** Whether it was refused because of how many were refused before. */
  readonly isThrottled?: boolean;
}

/** Records refused sign-ins in the audit log of the organisation that runs the service. */
export type RecordRefusal = (refused: RefusedSignIn) => Promise<void>;

export interface RefusalOptions {
  readonly audit: Pick<AuditLog, "record">;
  readonly findOperator: FindOperator;
  readonly now?: () => number;
}

const windowMs = 5 * 60 * 1000;
/** Of this node in a window: nobody fills the log, or the database, by being refused. */
const maxRecorded = 20;
const maxReasonLength = 300;

/**
 * Of those that are throttled one is recorded for an address in a window. Beyond `maxRecorded` in a window one more is
 * recorded, which says that others are not.
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
      ? { reason: "Too many were refused; others are not recorded for some minutes." }
      : { address, reason: reason.slice(0, maxReasonLength).toWellFormed() };
    const target = { id: address, name: address };
    await audit.record({ organizationId }, { action: "session.refused", target, details });
  };
}

function openWindow(at: number) {
  return { until: at + windowMs, count: 0, throttled: new Set<string>() };
}
