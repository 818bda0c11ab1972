import { Gauge } from "prom-client";
import type { Registry } from "prom-client";

/** A value with the labels of its gauge. */
interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The jobs of all nodes in one queue. */
export interface QueueState {
  readonly queue: string;
  /** The number of waiting jobs, including those that start later. */
  readonly waiting: number;
  readonly running: number;
  /** The time for which the oldest job that could start immediately has been waiting; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** The number of jobs of one kind and status. All counts together cover all existing jobs. */
export interface JobCount {
  readonly kind: string;
  readonly status: string;
  readonly count: number;
  /** The number of these jobs that are waiting for something that is unavailable. */
  readonly blocked: number;
}

/** The number of nodes with the same version and roles. */
export interface NodeCount {
  readonly version: string;
  /** The roles: `api`, `worker` or `api,worker`. */
  readonly roles: string;
  readonly count: number;
}

/** The number of stored messages to webhooks in one state. */
export interface DeliveryCount {
  readonly state: "pending" | "delivered" | "failed";
  readonly count: number;
}

/** The size of the storage's contents. Each bundle is counted once. The rest are packs of hosted repositories. */
export interface StoredBytes {
  readonly kind: "bundles" | "repositories";
  readonly bytes: number;
}

/** The work and stored data of the whole service, and the nodes that do the work. */
export interface WorkState {
  readonly queues: readonly QueueState[];
  readonly jobs: readonly JobCount[];
  readonly nodes: readonly NodeCount[];
  readonly deliveries: readonly DeliveryCount[];
  readonly stored: readonly StoredBytes[];
}

/** The current values. If the database does not respond, `work` is missing, and its gauges are omitted. */
export interface GaugeReadings {
  readonly work: WorkState | undefined;
  /** This node's disks. */
  readonly disks: readonly { readonly folder: string; readonly freeBytes: number }[];
  /** This node's connections to PostgreSQL; undefined with the embedded database. */
  readonly connections:
    | {
        readonly inUse: number;
        readonly idle: number;
        readonly waiting: number;
        readonly max: number;
      }
    | undefined;
}

interface GaugeDefinition {
  readonly name: string;
  readonly help: string;
  readonly read: (readings: GaugeReadings) => readonly Reading[];
}

const definitions: readonly GaugeDefinition[] = [
  {
    name: "octavo_queue_jobs",
    help: "Waiting and running jobs in the service's queues; the same on every node.",
    read: ({ work }) =>
      (work?.queues ?? []).flatMap(({ queue, waiting, running }) => [
        { labels: { queue, state: "waiting" }, value: waiting },
        { labels: { queue, state: "running" }, value: running },
      ]),
  },
  {
    name: "octavo_queue_oldest_seconds",
    help: "Time for which the oldest job that could start immediately has been waiting; the same on every node.",
    read: ({ work }) =>
      (work?.queues ?? []).map(({ queue, oldestSeconds }) => ({
        labels: { queue },
        value: oldestSeconds,
      })),
  },
  {
    name: "octavo_jobs",
    help: "Existing jobs, by status; the same on every node.",
    read: ({ work }) =>
      (work?.jobs ?? []).map(({ kind, status, count }) => ({
        labels: { kind, status },
        value: count,
      })),
  },
  {
    name: "octavo_jobs_blocked",
    help: "Jobs that are waiting for something that is unavailable, such as their code host; the same on every node.",
    read: ({ work }) => blockedByKind(work?.jobs ?? []),
  },
  {
    name: "octavo_nodes",
    help: "Running processes of the service; the same on every node.",
    read: ({ work }) =>
      (work?.nodes ?? []).map(({ version, roles, count }) => ({
        labels: { version, roles },
        value: count,
      })),
  },
  {
    name: "octavo_webhook_deliveries",
    help: "Stored webhook messages, by state; the same on every node.",
    read: ({ work }) =>
      (work?.deliveries ?? []).map(({ state, count }) => ({ labels: { state }, value: count })),
  },
  {
    name: "octavo_stored_bytes",
    help: "Size of the data in the storage; the same on every node.",
    read: ({ work }) =>
      (work?.stored ?? []).map(({ kind, bytes }) => ({ labels: { kind }, value: bytes })),
  },
  {
    name: "octavo_disk_free_bytes",
    help: "Free space on the disk of a folder of this node.",
    read: ({ disks }) =>
      disks.map(({ folder, freeBytes }) => ({ labels: { folder }, value: freeBytes })),
  },
  {
    name: "octavo_database_connections",
    help: "Connections of this node to PostgreSQL and their maximum number.",
    read: ({ connections }) =>
      connections === undefined
        ? []
        : [
            { labels: { state: "in_use" }, value: connections.inUse },
            { labels: { state: "idle" }, value: connections.idle },
            { labels: { state: "max" }, value: connections.max },
          ],
  },
  {
    name: "octavo_database_waiting",
    help: "Operations on this node that are waiting for a connection to PostgreSQL.",
    read: ({ connections }) =>
      connections === undefined ? [] : [{ labels: {}, value: connections.waiting }],
  },
];

/**
 * Returns the number of blocked jobs of each kind that has jobs. Zeros are included, so that an alert notices when jobs
 * are no longer blocked.
 */
function blockedByKind(jobs: readonly JobCount[]): readonly Reading[] {
  const sums = new Map<string, number>();
  for (const { kind, blocked } of jobs) sums.set(kind, (sums.get(kind) ?? 0) + blocked);
  return [...sums].map(([kind, value]) => ({ labels: { kind }, value }));
}

/** Adds the gauges to a registry. The returned function sets all gauges. */
export function createGauges(registry: Registry): (readings: GaugeReadings) => void {
  const labelNames = ["queue", "state", "kind", "status", "version", "roles", "folder"];
  const gauges = definitions.map(({ name, help, read }) => ({
    read,
    gauge: new Gauge({ name, help, labelNames, registers: [registry] }),
  }));
  return (readings) => {
    for (const { gauge, read } of gauges) {
      // Without the reset, a status without jobs would keep its last value.
      gauge.reset();
      for (const { labels, value } of read(readings)) gauge.set(labels, value);
    }
  };
}
