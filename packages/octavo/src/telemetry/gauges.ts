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
  /** Waiting, those that are to start later included. */
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest job has been waiting that could start at once; 0 if there is none. */
  readonly oldestSeconds: number;
}

/** The jobs of one kind and status. Their numbers add up to the jobs that exist. */
export interface JobCount {
  readonly kind: string;
  readonly status: string;
  readonly count: number;
  /** Those among them that wait for something that is away. */
  readonly blocked: number;
}

/** The nodes of one version and the same roles. */
export interface NodeCount {
  readonly version: string;
  /** `api`, `worker` or `api,worker`. */
  readonly roles: string;
  readonly count: number;
}

/** The messages to webhooks that are stored, by what became of them. */
export interface DeliveryCount {
  readonly state: "pending" | "delivered" | "failed";
  readonly count: number;
}

/** What is in the storage: each bundle once, and the packs of hosted repositories. */
export interface StoredBytes {
  readonly kind: "bundles" | "repositories";
  readonly bytes: number;
}

/** What the whole service has to do and to store, and which nodes do it. */
export interface WorkState {
  readonly queues: readonly QueueState[];
  readonly jobs: readonly JobCount[];
  readonly nodes: readonly NodeCount[];
  readonly deliveries: readonly DeliveryCount[];
  readonly stored: readonly StoredBytes[];
}

/** What there is at the moment. Without `work`, if the database does not answer, its gauges are absent. */
export interface GaugeReadings {
  readonly work: WorkState | undefined;
  /** Of this node. */
  readonly disks: readonly { readonly folder: string; readonly freeBytes: number }[];
  /** Of this node, to PostgreSQL; undefined with the embedded database. */
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
    help: "How long the oldest job has been waiting that could start at once; the same on every node.",
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
    help: "Jobs that wait for something that is away, such as their code host; the same on every node.",
    read: ({ work }) => blockedByKind(work?.jobs ?? []),
  },
  {
    name: "octavo_nodes",
    help: "Processes of the service that are alive; the same on every node.",
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
    help: "Size of what is in the storage; the same on every node.",
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
    help: "Connections of this node to PostgreSQL, and how many there may be.",
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
    help: "What waits on this node for a connection to PostgreSQL.",
    read: ({ connections }) =>
      connections === undefined ? [] : [{ labels: {}, value: connections.waiting }],
  },
];

/** Zero for each kind that has jobs, so that an alert sees it end. */
function blockedByKind(jobs: readonly JobCount[]): readonly Reading[] {
  const sums = new Map<string, number>();
  for (const { kind, blocked } of jobs) sums.set(kind, (sums.get(kind) ?? 0) + blocked);
  return [...sums].map(([kind, value]) => ({ labels: { kind }, value }));
}

/** Adds the gauges to a registry. The result sets all of them. */
export function createGauges(registry: Registry): (readings: GaugeReadings) => void {
  const labelNames = ["queue", "state", "kind", "status", "version", "roles", "folder"];
  const gauges = definitions.map(({ name, help, read }) => ({
    read,
    gauge: new Gauge({ name, help, labelNames, registers: [registry] }),
  }));
  return (readings) => {
    for (const { gauge, read } of gauges) {
      // A status that no job has any more would keep its last value.
      gauge.reset();
      for (const { labels, value } of read(readings)) gauge.set(labels, value);
    }
  };
}
