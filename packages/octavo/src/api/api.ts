import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { DiskSpace, Quotas } from "../core/index.ts";
import type { PullRequests } from "../codehost/index.ts";
import type { Database } from "../db/index.ts";
import type { Hosting } from "../hosting/index.ts";
import type { Domains, Hooks, SiteReaders, Sites } from "../publish/index.ts";
import type {
  AgentJobs,
  Deployments,
  StaticExports,
  StoredBundle,
  Uploads,
  WebhookDeliveries,
  WebhookSender,
} from "../jobs/index.ts";
import type { AuditLog, Keys, Projects, Webhooks } from "../projects/index.ts";
import type { Storage } from "../storage/index.ts";
import type { GaugeReadings, Logger, Metrics } from "../telemetry/index.ts";
import type { ErrorResponse } from "./errors.ts";
import type { OpenStreams } from "./event-streams.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import type { RequestTimeLimits } from "./request-clock.ts";

/** The API's dependencies and settings, which `cli/` provides. */
export interface ApiOptions {
  readonly database: Database;
  readonly storage: Storage;
  readonly space: Pick<DiskSpace, "shortage">;
  readonly keys: Keys;
  readonly audit: AuditLog;
  readonly projects: Projects;
  readonly staticExports: StaticExports;
  readonly agentJobs: AgentJobs;
  readonly deployments: Deployments;
  readonly publishedSites: Sites;
  readonly uploads: Uploads;
  readonly domains: Domains;
  readonly siteReaders: SiteReaders;
  readonly hooks: Hooks;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookSender: WebhookSender;
  /** Serves the repositories that the service hosts. */
  readonly hosting: Pick<Hosting, "serve">;
  /** The pull requests, which are notified of pushes. */
  readonly pullRequests: Pick<PullRequests, "refreshOpenPullRequests">;
  readonly metrics: Metrics;
  /** The token that `/metrics` requires; if undefined, the metrics are public. */
  readonly metricsToken: string | undefined;
  readonly readGauges: () => Promise<GaugeReadings>;
  /** Throws if this node is not ready, with a message that tells the operator what to do. `/readyz` reports it. */
  readonly checkReady: () => Promise<void>;
  readonly log: Logger;
  /** The operator's secret, from which the key that signs links is derived. */
  readonly secret: string;
  /** Returns the service's external address, without a trailing slash. Called whenever a link is created. */
  readonly baseUrl: () => string;
  readonly bundleLinkSeconds: number;
  readonly trustedProxies: readonly string[];
  readonly quotas: Quotas;
  /** Defaults to `defaultTimeLimits`. */
  readonly requestTimeLimits?: RequestTimeLimits;
  /** Defaults to `connectionLimits`. */
  readonly connections?: ConnectionLimits;
  /** Answers requests for the hosts of published sites; undefined if another node does. */
  readonly sites?: SiteListener | undefined;
  /** Opens the listener for the manual, whose paths begin with `/manual`. Called for each request. */
  readonly openManual: () => Promise<RequestListener>;
  /** Additional routes on the same server, e.g. the dashboard's. They set their own policies and require no API key. */
  readonly pages?: FastifyPluginAsync<PageServices>;
}

/** Handles requests for published sites before the router of this server sees them. */
export interface SiteListener {
  /** Reports whether the request's host belongs to a published site. */
  readonly owns: (request: IncomingMessage) => boolean;
  /** Reports from memory whether a host may have a certificate. The host is in lowercase and Punycode. */
  readonly hasHost: (host: string) => boolean;
  readonly listener: RequestListener;
}

/** The dependencies that a node without the API needs to serve its health and metrics. */
export type OperationsOptions = Pick<
  ApiOptions,
  "metrics" | "metricsToken" | "readGauges" | "checkReady" | "log" | "trustedProxies" | "sites"
>;

/** Sends an HTML page for a path that does not exist. `sentence` is the error that the API would respond with. */
export type SendMissingPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  sentence: string,
) => FastifyReply;

/** The functions that the `pages` routes receive, so that they respond as the API does. */
export interface PageServices {
  /** The path prefix under which a proxy serves the service, e.g. `/octavo`; usually empty. */
  readonly basePath: string;
  readonly toErrorResponse: (error: unknown) => ErrorResponse;
  /** Returns a signed, temporary address for downloading the bundle. */
  readonly linkToBundle: (bundle: StoredBundle) => string;
  /** Sets the function that responds when a browser requests a path that does not exist. */
  readonly setMissingPageSender: (send: SendMissingPage) => void;
}

/** The options of the API, and what `createApi` derives from them for the routes. */
export interface ApiServices extends ApiOptions {
  readonly linkKey: Buffer;
  readonly streams: OpenStreams;
}

/** A Fastify instance in which zod schemas determine the types of routes. */
export type Api = FastifyInstance<Server, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;
