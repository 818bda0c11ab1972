import { jobKinds } from "../job-kinds.ts";

/** The queue of attempts to deliver webhook messages, which do not have the lifecycle of a job. */
export const webhookQueue = "webhook";

/** The names of all queues; every kind of job has its own. */
export const queueNames: readonly string[] = [...jobKinds.map(({ queue }) => queue), webhookQueue];
