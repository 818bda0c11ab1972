/** Every kind of job has its own queue. */
export const queueNames = ["static-export", "agent", "webhook"] as const;
export type QueueName = (typeof queueNames)[number];
