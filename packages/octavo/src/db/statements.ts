import { sql } from "kysely";
import type { Kysely } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "./tables.ts";

const pingMs = 5_000;

/** Queues a notification in the transaction of `handle`: it is sent with the commit, or not at all. */
export async function notify(
  handle: Kysely<Tables>,
  channel: string,
  payload: string,
): Promise<void> {
  await sql`select pg_notify(${channel}, ${payload})`.execute(handle);
}

/** Throws `unavailable` if the database does not respond within five seconds. */
export async function ping(kysely: Kysely<Tables>): Promise<void> {
  const timeout = AbortSignal.timeout(pingMs);
  const expired = new Promise<never>((_, reject) => {
    timeout.addEventListener("abort", () =>
      reject(new OctavoError("unavailable", "The database does not answer.")),
    );
  });
  try {
    await Promise.race([sql`select 1`.execute(kysely), expired]);
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw new OctavoError("unavailable", "The database does not answer.", { cause });
  }
}

/** The constraint that a failed statement violated, e.g. `projects_domain_key`; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  // SQLSTATE class 23 is "integrity constraint violation".
  const isViolation = typeof code === "string" && code.startsWith("23");
  return isViolation && typeof constraint === "string" ? constraint : undefined;
}

/** SQLSTATE classes of a server that is temporarily unavailable: connection, resources, shutdown. */
const unavailableStates = /^(08...|53...|57P0[1-5])$/;
const unavailableCodes =
  /^(ECONN(REFUSED|RESET)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
/** Messages of driver errors that have no code. */
const unavailableMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether a statement failed because the database was unavailable: a retry may help. */
export function isConnectionFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return unavailableStates.test(code) || unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}
