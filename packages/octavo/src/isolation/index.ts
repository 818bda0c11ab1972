/**
 * Processes untrusted content in a separate process. `isolation.ts` starts and calls that process, `start.ts` runs in
 * it, and `connection.ts` passes messages between the two processes. `page-camera.ts` renders pages as pictures in a
 * browser.
 */
export { openIsolation } from "./isolation.ts";
export type { Isolation } from "./isolation.ts";
export { createPageCamera } from "./page-camera.ts";
