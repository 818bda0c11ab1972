import { Counter, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { createGauges } from "./gauges.ts";
import type { GaugeReadings } from "./gauges.ts";

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
  /** Records the numbers of an export's pages that were newly rendered and taken from the cache. */
  pagesWritten(pages: { readonly rendered: number; readonly cached: number }): void;
  /** Records the end of an attempt to deliver a webhook message. */
  webhookAttemptEnded(outcome: "delivered" | "retry" | "failed" | "gone"): void;
  /** Returns the metrics, including these readings, in the Prometheus text format. */
  expose(readings: GaugeReadings): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Creates metrics in a new registry, together with the default metrics of the process. */
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
