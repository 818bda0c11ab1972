import type { CodeHost } from "../../codehost/index.ts";
import type { Database, ProjectsTable } from "../../db/index.ts";
import type { Credentials, GitWork } from "../../git/index.ts";
import type { JobLog } from "../ports.ts";

/** What the synchronization with code hosts needs to read the pull requests and branches of all jobs. */
export interface PullRequestSyncOptions {
  readonly database: Database;
  readonly gitWork: GitWork;
  readonly codeHosts: Readonly<Record<ProjectsTable["code_host"], CodeHost>>;
  readonly readCredentials: (projectId: string) => Promise<Credentials | undefined>;
  readonly log: JobLog;
  readonly now?: Date;
}
