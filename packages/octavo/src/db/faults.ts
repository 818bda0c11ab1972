import { OctavoError, isOctavoError } from "@octavo/site/core";

/**
 * Returns the constraint that a failed statement violated, e.g. `projects_domain_key`, or undefined for other errors.
 */
export function findViolatedConstraint(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  // SQLSTATE class 23 is "integrity constraint violation".
  const isViolation = typeof code === "string" && code.startsWith("23");
  return isViolation && typeof constraint === "string" ? constraint : undefined;
}

/**
 * Matches the SQLSTATEs of a server that is temporarily unavailable because of its connection, its resources, a
 * shutdown or an operator's time limit. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const unavailableStates = /^(08...|53...|57P0[1-5]|57014|25P0[34])$/;
const unavailableCodes =
  /^(ECONN(REFUSED|RESET)|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/;
/** Matches the messages of driver errors that have no code. */
const unavailableMessages =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Reports whether the driver failed because the server was unavailable. */
export function isDriverFault(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return unavailableStates.test(code) || unavailableCodes.test(code);
  return unavailableMessages.test(error.message);
}

/**
 * Converts a driver's error for the rest of the program. Returns `unavailable` for a fault, otherwise the error itself.
 */
export function toDatabaseError(error: unknown): unknown {
  if (!isDriverFault(error)) return error;
  return new OctavoError("unavailable", "The database does not respond; try again.", {
    cause: error,
    details: { isDatabaseFault: true },
  });
}

/** Reports whether the database was unavailable, so that a retry may help. */
export function isConnectionFault(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isOctavoError(cause, "unavailable") && cause.details["isDatabaseFault"] === true)
      return true;
  }
  return false;
}
