/** The service's logs, which contain no secrets, and its metrics. */
export { createLogger, redact } from "./log.ts";
export type { Logger, LoggerOptions } from "./log.ts";
export type {
  DeliveryCount,
  GaugeReadings,
  JobCount,
  NodeCount,
  QueueState,
  StoredBytes,
  WorkState,
} from "./gauges.ts";
export { createMetrics } from "./metrics.ts";
export type { Metrics } from "./metrics.ts";
