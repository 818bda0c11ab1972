import { Counter, Histogram, Registry, collectDefaultMetrics, Gauge } from "prom-client";

/** The jobs of all nodes in one queue. */
export interface QueueState {
  readonly queue: string;
  /** The number of waiting jobs, including those that start later. */
  readonly waiting: number;
  readonly running: number;
  /** The time for which the oldest job that could start immediately has been waiting; 0 if there is no such job. */
  readonly oldestSeconds: number;
}

/** The number of jobs of one kind and status. Together, the counts cover all existing jobs. */
export interface JobCount {
  readonly kind: string;
  readonly status: string;
  readonly count: number;
  /** The number of these jobs that are waiting for an unavailable dependency, such as their code host. */
  readonly blocked: number;
}

/** The number of nodes with the same version and roles. */
export interface NodeCount {
  readonly version: string;
  /** The roles, e.g. `api,worker,sites`. */
  readonly roles: string;
  readonly count: number;
}

/** The number of stored messages to webhooks in one state. */
export interface DeliveryCount {
  readonly state: "pending" | "delivered" | "failed";
  readonly count: number;
}

/**
 * The total size of the stored files of one kind. A bundle is counted once, even if several exports or deployments use
 * it.
 */
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

/**
 * The current values of the gauges. If the database does not respond, `work` is undefined, and its gauges are omitted.
 */
export interface GaugeReadings {
  readonly work: WorkState | undefined;
  /** The free space on the disks of this node's folders. */
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

/** The service's metrics. Each label has few possible values and is never an ID, a path or a name. */
export interface Metrics {
  /** Records a request. `route` is the route's pattern, never the requested path. */
  requestEnded(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /**
   * Records that this process moved a job to a state. When the job ends, `seconds` is the time since its worker
   * started.
   */
  jobEntered(job: {
    /** The name of the kind, such as `static_export`. */
    readonly kind: string;
    readonly state: string;
    readonly seconds?: number;
  }): void;
  /** Records how many of an export's pages were newly rendered and how many were taken from the cache. */
  pagesWritten(pages: { readonly rendered: number; readonly cached: number }): void;
  /** Records the end of an attempt to deliver a webhook message. */
  webhookAttemptEnded(outcome: "delivered" | "retry" | "failed" | "gone"): void;
  /** Returns the metrics, including these readings, in the Prometheus text format. */
  expose(readings: GaugeReadings): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Creates the service's metrics and the process's default metrics in a new registry. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "octavo_http_request_seconds",
    help: "Time from a request's arrival to the end of its response; event streams are excluded.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const jobs = new Counter({
    name: "octavo_jobs_total",
    help: "Number of times that this process moved a job to a state.",
    labelNames: ["kind", "state"],
    registers,
  });
  const jobSeconds = new Histogram({
    name: "octavo_job_seconds",
    help: "Duration of a job, by the state in which it ended.",
    labelNames: ["kind", "state"],
    buckets: [0.5, 1, 5, 15, 60, 300, 1_800],
    registers,
  });
  const pages = new Counter({
    name: "octavo_pages_total",
    help: "Pages written to exports.",
    labelNames: ["source"],
    registers,
  });
  const webhooks = new Counter({
    name: "octavo_webhook_attempts_total",
    help: "Attempts to deliver a webhook message, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const setGauges = createGauges(registry);
  return {
    requestEnded({ seconds, method, route, status }) {
      requests.observe({ method, route, status }, seconds);
    },
    jobEntered({ kind, state, seconds }) {
      jobs.inc({ kind, state });
      if (seconds !== undefined) jobSeconds.observe({ kind, state }, seconds);
    },
    pagesWritten({ rendered, cached }) {
      pages.inc({ source: "rendered" }, rendered);
      pages.inc({ source: "cache" }, cached);
    },
    webhookAttemptEnded(outcome) {
      webhooks.inc({ outcome });
    },
    async expose(readings) {
      setGauges(readings);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

/** A value of a gauge with its labels. */
interface Reading {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
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
    help: "The number of stored jobs, by kind and status. Every node reports the same value.",
    read: ({ work }) =>
      (work?.jobs ?? []).map(({ kind, status, count }) => ({
        labels: { kind, status },
        value: count,
      })),
  },
  {
    name: "octavo_jobs_blocked",
    help: "Jobs that are waiting for something that is unavailable, such as their code host; the same on every node.",
    read: ({ work }) => sumBlockedByKind(work?.jobs ?? []),
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
 * Returns the number of blocked jobs of each kind that has jobs. Zeros are included, so that an alert is resolved when
 * jobs are no longer blocked.
 */
function sumBlockedByKind(jobs: readonly JobCount[]): readonly Reading[] {
  const sums = new Map<string, number>();
  for (const { kind, blocked } of jobs) sums.set(kind, (sums.get(kind) ?? 0) + blocked);
  return [...sums].map(([kind, value]) => ({ labels: { kind }, value }));
}

/** Adds the gauges to a registry. The returned function sets all gauges. */
function createGauges(registry: Registry): (readings: GaugeReadings) => void {
  const labelNames = ["queue", "state", "kind", "status", "version", "roles", "folder"];
  const gauges = definitions.map(({ name, help, read }) => ({
    read,
    gauge: new Gauge({ name, help, labelNames, registers: [registry] }),
  }));
  return (readings) => {
    for (const { gauge, read } of gauges) {
      // Without the reset, the gauge of a status that no longer has jobs would keep its last value.
      gauge.reset();
      for (const { labels, value } of read(readings)) gauge.set(labels, value);
    }
  };
}
