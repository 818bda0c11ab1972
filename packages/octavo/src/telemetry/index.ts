/** The service's logs, which contain no secrets, and its metrics. */
export { createLogger } from "./log.ts";
export type { Logger } from "./log.ts";
export type {
  DeliveryCount,
  GaugeReadings,
  JobCount,
  NodeCount,
  QueueState,
  StoredBytes,
  WorkState,
  Metrics,
} from "./metrics.ts";
export { createMetrics } from "./metrics.ts";
