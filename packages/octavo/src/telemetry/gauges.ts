import { Gauge } from "prom-client";
import type { Registry } from "prom-client";

/** One value, with the labels of its gauge. */
interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The jobs in one queue, over all nodes. */
export interface QueueState {
  readonly queue: string;
  /** Waiting jobs, including those that start later. */
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest job that could start immediately has been waiting; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** The jobs of one kind and status. The counts add up to all existing jobs. */
export interface JobCount {
  readonly kind: string;
  readonly status: string;
  readonly count: number;
  /** Jobs among them that wait for something that is unavailable. */
  readonly blocked: number;
}

/** The nodes of one version and the same roles. */
export interface NodeCount {
  readonly version: string;
  /** `api`, `worker` or `api,worker`. */
  readonly roles: string;
  readonly count: number;
}

/** The stored messages to webhooks, by state. */
export interface DeliveryCount {
  readonly state: "pending" | "delivered" | "failed";
  readonly count: number;
}

/** The contents of the storage: each bundle once, and the packs of hosted repositories. */
export interface StoredBytes {
  readonly kind: "bundles" | "repositories";
  readonly bytes: number;
}

/** The whole service's work and stored data, and the nodes that do the work. */
export interface WorkState {
  readonly queues: readonly QueueState[];
  readonly jobs: readonly JobCount[];
  readonly nodes: readonly NodeCount[];
  readonly deliveries: readonly DeliveryCount[];
  readonly stored: readonly StoredBytes[];
}

/** The current values. Without `work`, if the database does not respond, its gauges are absent. */
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
    help: "Jobs in the service's queues that wait or run; the same on every node.",
    read: ({ work }) =>
      (work?.queues ?? []).flatMap(({ queue, waiting, running }) => [
        { labels: { queue, state: "waiting" }, value: waiting },
        { labels: { queue, state: "running" }, value: running },
      ]),
  },
  {
    name: "octavo_queue_oldest_seconds",
    help: "How long the oldest job that could start immediately has been waiting; the same on every node.",
    read: ({ work }) =>
      (work?.queues ?? []).map(({ queue, oldestSeconds }) => ({
        labels: { queue },
        value: oldestSeconds,
      })),
  },
  {
    name: "octavo_jobs",
    help: "Jobs that exist, by status; the same on every node.",
    read: ({ work }) =>
      (work?.jobs ?? []).map(({ kind, status, count }) => ({
        labels: { kind, status },
        value: count,
      })),
  },
  {
    name: "octavo_jobs_blocked",
    help: "Jobs that wait for something that is unavailable, such as their code host; the same on every node.",
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
    help: "Webhook messages that are stored, by state; the same on every node.",
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
    help: "Connections of this node to PostgreSQL, and their maximum.",
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
    help: "Operations on this node that wait for a connection to PostgreSQL.",
    read: ({ connections }) =>
      connections === undefined ? [] : [{ labels: {}, value: connections.waiting }],
  },
];

/** Returns zero for each kind that has jobs, so that an alert sees a state end. */
function blockedByKind(jobs: readonly JobCount[]): readonly Reading[] {
  const sums = new Map<string, number>();
  for (const { kind, blocked } of jobs) sums.set(kind, (sums.get(kind) ?? 0) + blocked);
  return [...sums].map(([kind, value]) => ({ labels: { kind }, value }));
}

/** Adds the gauges to a registry. The returned function sets all of them. */
export function createGauges(registry: Registry): (readings: GaugeReadings) => void {
  const labelNames = ["queue", "state", "kind", "status", "version", "roles", "folder"];
  const gauges = definitions.map(({ name, help, read }) => ({
    read,
    gauge: new Gauge({ name, help, labelNames, registers: [registry] }),
  }));
  return (readings) => {
    for (const { gauge, read } of gauges) {
      // Otherwise a status without jobs would keep its last value.
      gauge.reset();
      for (const { labels, value } of read(readings)) gauge.set(labels, value);
    }
  };
}
