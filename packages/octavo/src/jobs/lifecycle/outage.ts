import { isOctavoError } from "@octavo/site/core";

/** Something that a job needs is away, through no fault of the job's. */
export interface Outage {
  /** A sentence for whoever looks at the job. */
  readonly reason: string;
  /** How long to wait at least, if whoever is away said so. */
  readonly seconds?: number;
  /** Whether another node may have it. */
  readonly isOfNode?: boolean;
}

/** What the system says of a node that lacks something. */
const systemFaults: Readonly<Record<string, string>> = {
  ENOSPC: "The disk of the node that runs the job is full.",
  EDQUOT: "The disk quota of the node that runs the job is used up.",
  EROFS: "The disk of the node that runs the job cannot be written to.",
  EIO: "The disk of the node that runs the job has errors.",
  EMFILE: "The node that runs the job has too many open files.",
  ENFILE: "The node that runs the job has too many open files.",
  ENOMEM: "The node that runs the job has no memory left.",
};

/**
 * The outage that made an attempt fail, for errors that waiting can help with: the storage, the code host or the disk.
 * Models are not among them, whose failures have retries of their own and count.
 */
export function describeOutage(error: unknown): Outage | undefined {
  if (isOctavoError(error, "unavailable") || isOctavoError(error, "rate_limited")) {
    const { isOfModel, isOfNode, retryAfterSeconds: seconds } = error.details;
    if (isOfModel === true) return undefined;
    return {
      reason: error.message,
      ...(typeof seconds === "number" && { seconds }),
      ...(isOfNode === true && { isOfNode }),
    };
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = systemFaults[(cause as NodeJS.ErrnoException).code ?? ""];
    if (reason !== undefined) return { reason, isOfNode: true };
  }
  return undefined;
}
