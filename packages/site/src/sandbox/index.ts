/** Processes for untrusted content: their containment, startup, limits and resource usage. */
export { bulkDescriptor, ignorePipeErrors, receiveBytes, sendBytes } from "./sandbox.ts";
export { describeExit, findProgramId, killChild } from "./contained-program.ts";
export { longRunPages, tuneBusyChild, tuneForRendering } from "./engine-flags.ts";
export { createIsolation } from "./isolated-process.ts";
export type { IsolatedProcess, IsolationLimits, StartIsolated } from "./isolated-process.ts";
export { readProcessUsage } from "./isolated-process.ts";
export type { ProcessUsage } from "./isolated-process.ts";
export { describeContainment, detectSandbox, spawnSandboxed, wakeChild } from "./sandbox.ts";
export type { Containment, Sandbox, StartOptions } from "./sandbox.ts";
