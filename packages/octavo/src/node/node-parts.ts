import type { CodeHost, PullRequests } from "../codehost/index.ts";
import type { Config } from "../config/index.ts";
import type { DiskSpace } from "../core/index.ts";
import type { Git, GitWork } from "../git/index.ts";
import type { Hosting } from "../hosting/index.ts";
import type { Isolation } from "../isolation/index.ts";
import type {
  AgentChanges,
  DeploymentChanges,
  Deployments,
  MovedRefs,
  JobAnnouncer,
  JobQueue,
  StaticExportChanges,
} from "../jobs/index.ts";
import type { SiteReaders, Sites } from "../publish/index.ts";
import type { Reviews } from "../reviews/index.ts";
import type { Storage } from "../storage/index.ts";
import type { Logger, Metrics } from "../telemetry/index.ts";
import type { IsolatedOperations } from "./isolated.ts";
import type { Records } from "./records.ts";

/** The parts of a node before it starts its roles. */
export interface NodeBase {
  readonly config: Config;
  readonly log: Logger;
  /** The program's version. */
  readonly version: string;
  readonly records: Records;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly hosting: Hosting;
  readonly pullRequests: PullRequests;
  readonly reviews: Reviews;
  readonly localHost: CodeHost;
  readonly storage: Storage;
  readonly space: DiskSpace;
  /** The author of the service's own commits. */
  readonly author: { readonly name: string; readonly email: string };
  /** The port of the server, which is set once it is known. */
  readonly address: { port: number };
  /** Calls `follow` with the refs of hosted repositories that have moved since the node began to start. */
  readonly followRefs: (follow: (moved: MovedRefs) => Promise<void>) => void;
}

/** The parts of a node, including those that its roles share. */
export interface NodeParts extends NodeBase {
  readonly changes: StaticExportChanges;
  readonly agentChanges: AgentChanges;
  readonly deploymentChanges: DeploymentChanges;
  readonly deployments: Deployments;
  readonly publishedSites: Sites;
  readonly siteReaders: SiteReaders;
  readonly queue: JobQueue;
  readonly announcer: JobAnnouncer;
  readonly metrics: Metrics;
  readonly isolation: Isolation<IsolatedOperations>;
}
