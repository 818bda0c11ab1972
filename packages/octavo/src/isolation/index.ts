/**
 * Processes untrusted content in a process of its own: `isolation.ts` starts it and calls it, `start.ts` is that
 * process, and `connection.ts` passes messages between the two.
 */
export { openIsolation } from "./isolation.ts";
export type { Isolation, IsolationOptions } from "./isolation.ts";
export type { Operations } from "./operations.ts";
