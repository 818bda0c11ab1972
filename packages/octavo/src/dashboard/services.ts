import type { FastifyReply, FastifyRequest } from "fastify";
import type { ReadReport, ReportOperations, UnpackedBundles } from "../bundles/index.ts";
import type { Differences } from "../difference/index.ts";
import type { Isolation } from "../isolation/index.ts";
import type {
  AgentJobs,
  Deployments,
  FindJobs,
  InspectRepository,
  StaticExports,
  WebhookDeliveries,
  WebhookSender,
} from "../jobs/index.ts";
import type { Members, Sessions, SignIns } from "../people/index.ts";
import type { AuditLog, Keys, ListActiveProjects, Projects, Webhooks } from "../projects/index.ts";
import type { Domains, Hooks, SiteReaders, Sites } from "../publish/index.ts";
import type { Reviews } from "../reviews/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Addresses } from "./addresses.ts";
import type { RenderView, ViewOperations } from "./large-views.ts";
import type { DashboardPage } from "./layout.ts";
import type { OperatorView } from "./operator.ts";
import type { HttpServerFunctions } from "./page-tools.ts";
import type { PreviewTokens } from "./session/preview-passes.ts";
import type { Cookie } from "./session/sessions.ts";

export interface DashboardOptions {
  readonly keys: Keys;
  readonly audit: AuditLog;
  readonly members: Members;
  readonly sessions: Sessions;
  /** The sign-ins with a provider; undefined if people can sign in only with keys. */
  readonly signIns: SignIns | undefined;
  readonly projects: Projects;
  readonly staticExports: StaticExports;
  readonly agentJobs: AgentJobs;
  readonly deployments: Deployments;
  readonly publishedSites: Sites;
  readonly domains: Domains;
  readonly siteReaders: SiteReaders;
  readonly hooks: Hooks;
  readonly listActiveProjects: ListActiveProjects;
  readonly findJobs: FindJobs;
  readonly inspectRepository: InspectRepository;
  readonly webhooks: Webhooks;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly webhookSender: WebhookSender;
  readonly operator: OperatorView;
  readonly storage: Storage;
  readonly reviews: Reviews;
  /** The operator's secret. Keys derived from it sign cookies and previews. */
  readonly secret: string;
  /** Returns the service's external address, which is used to check a request's origin. */
  readonly baseUrl: () => string;
  /** The origin of previews, if they have their own. */
  readonly previewUrl: string | undefined;
  /** The folder for unpacked bundles, which can be deleted at any time. */
  readonly cacheDir: string;
  readonly isolation: Isolation<ReportOperations & ViewOperations>;
  /** The differences that readers of a preview see. */
  readonly differences: Pick<Differences, "open">;
}

/** The services that the routes use. */
export interface DashboardServices
  extends DashboardOptions, Pick<HttpServerFunctions, "linkToBundle" | "toErrorResponse"> {
  readonly addresses: Addresses;
  /** The session's cookie. */
  readonly cookie: Cookie;
  /** The cookie with the state of a sign-in with the provider. */
  readonly attemptCookie: Cookie;
  readonly readReport: ReadReport;
  readonly previewTokens: PreviewTokens;
  readonly unpackedBundles: UnpackedBundles;
  readonly renderView: RenderView;
  readonly sendPage: SendPage;
}

/** Sends a page to the signed-in user. */
export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  page: Omit<DashboardPage, "user" | "isOperator">,
) => FastifyReply;
