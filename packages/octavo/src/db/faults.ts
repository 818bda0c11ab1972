/** The constraint that a failed statement violated, e.g. `projects_domain_key`; undefined for other errors. */
export function violatedConstraint(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  // SQLSTATE class 23 is "integrity constraint violation".
  const isViolation = typeof code === "string" && code.startsWith("23");
  return isViolation && typeof constraint === "string" ? constraint : undefined;
}

/**
 * SQLSTATEs of a server that is temporarily unavailable: connection, resources, shutdown, a time limit of the
 * operator's. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const unavailableStates = /^(08...|53...|57P0[1-5]|57014|25P0[34])$/;
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

/** Whether a transaction was undone because of another one: it may succeed when it is run again. */
export function isSerializationFault(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  return code === "40001" || code === "40P01";
}
