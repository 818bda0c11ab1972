import { jobKinds } from "../job-kinds.ts";

/** Where attempts to deliver webhook messages wait; what they are about has no lifecycle of a job. */
export const webhookQueue = "webhook";

/** Every kind of job has its own queue. */
export const queueNames: readonly string[] = [...jobKinds.map(({ queue }) => queue), webhookQueue];
