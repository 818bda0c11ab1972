import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { LocalCodeHost } from "../codehost/index.ts";
import type { Database } from "../db/index.ts";
import type { AgentJobs, StaticExports, StoredBundle, WebhookDeliveries } from "../jobs/index.ts";
import type { Keys, Projects, Webhooks } from "../projects/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Logger, Metrics } from "../telemetry/index.ts";
import type { ErrorAnswer } from "./errors.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { RequestTimes } from "./request-clock.ts";

/** What the API is made of; `cli/` hands it in. */
export interface ApiOptions {
  readonly database: Database;
  readonly storage: Storage;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly staticExports: StaticExports;
  readonly agentJobs: AgentJobs;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  /** Serves the repositories that the service hosts. */
  readonly localHost: LocalCodeHost;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** The operator's secret; links are signed with a key made from it. */
  readonly secret: string;
  /** The service's address from outside, without a slash at the end; asked when a link is made. */
  readonly baseUrl: () => string;
  readonly bundleLinkSeconds: number;
  readonly trustedProxies: readonly string[];
  /** In place of `requestTimes`. */
  readonly times?: RequestTimes;
  /** More routes on the same server, e.g. the dashboard's; they set their own policies and need no key of the API. */
  readonly pages?: FastifyPluginAsync<DashboardTools>;
}

/** What those other routes are handed, so that they answer as the API does. */
export interface DashboardTools {
  /** What a proxy puts before the service's own paths, e.g. `/octavo`; mostly empty. */
  readonly basePath: string;
  readonly toErrorAnswer: (error: unknown) => ErrorAnswer;
  /** A signed address from which a browser fetches the bundle, for a while. */
  readonly linkToBundle: (bundle: StoredBundle) => string;
}

/** What routes use. */
export interface ApiServices extends ApiOptions {
  readonly linkKey: Buffer;
  readonly streams: OpenStreams;
}

/** A Fastify instance whose routes are typed by their zod schemas. */
export type Api = FastifyInstance<Server, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;
