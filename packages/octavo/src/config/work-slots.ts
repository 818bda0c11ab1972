import { availableParallelism } from "node:os";
import type { Settings } from "./settings.ts";

/** Jobs that one node runs at the same time. */
export interface WorkSlots {
  readonly exportSlots: number;
  readonly agentSlots: number;
}

/** An export uses what cores it gets; an agent job mostly waits for its model. */
export function slotsOf(values: Settings): WorkSlots {
  const cores = availableParallelism();
  return {
    exportSlots: values.OCTAVO_EXPORT_SLOTS ?? Math.max(2, Math.floor(cores / 2)),
    agentSlots: values.OCTAVO_AGENT_SLOTS ?? Math.max(4, 2 * cores),
  };
}

/** One for each job, and some for requests: with the least of slots ten nodes fit a server of 100 connections. */
export function connectionsFor(values: Settings): number {
  const { exportSlots, agentSlots } = slotsOf(values);
  return Math.max(8, exportSlots + agentSlots + 2);
}
