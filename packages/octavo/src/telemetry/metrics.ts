import { Counter, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** What the service counts about itself. Labels take few values each: never an ID, a path or a name. */
export interface Metrics {
  /** `route` is the route's pattern, never the path that was asked for. */
  requestEnded(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** A job came into a state; with `seconds` since it was taken up where it ended. */
  jobEntered(job: {
    readonly kind: "static_export" | "agent";
    readonly state: string;
    readonly seconds?: number;
  }): void;
  /** Pages that an export wrote: rendered anew, or taken from the cache. */
  pagesWritten(pages: { readonly rendered: number; readonly cached: number }): void;
  /** An attempt to deliver a message to a webhook ended. */
  webhookAttempted(outcome: "delivered" | "retry" | "failed" | "gone"): void;
  /** The Prometheus text format. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

/** Metrics in a registry of their own, with those of the process beside them. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "octavo_http_request_seconds",
    help: "Time from a request's arrival to the end of its answer; event streams are left out.",
    labelNames: ["method", "route", "status"],
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  });
  const jobs = new Counter({
    name: "octavo_jobs_total",
    help: "Jobs that came into a state.",
    labelNames: ["kind", "state"],
    registers,
  });
  const jobSeconds = new Histogram({
    name: "octavo_job_seconds",
    help: "Time that a job took, by the state that it ended in.",
    labelNames: ["kind", "state"],
    buckets: [0.5, 1, 5, 15, 60, 300, 1_800],
    registers,
  });
  const pages = new Counter({
    name: "octavo_pages_total",
    help: "Pages written into exports.",
    labelNames: ["source"],
    registers,
  });
  const webhooks = new Counter({
    name: "octavo_webhook_attempts_total",
    help: "Attempts to deliver a message to a webhook, by how they ended.",
    labelNames: ["outcome"],
    registers,
  });
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
    webhookAttempted(outcome) {
      webhooks.inc({ outcome });
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
