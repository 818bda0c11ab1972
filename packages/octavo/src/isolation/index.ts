/**
 * Work on what strangers wrote, in a process of its own: `isolation.ts` starts it and calls, `start.ts` is that process,
 * and `connection.ts` what they say to each other.
 */
export { openIsolation } from "./isolation.ts";
export type { Isolation, IsolationOptions } from "./isolation.ts";
export type { Operations } from "./operations.ts";
