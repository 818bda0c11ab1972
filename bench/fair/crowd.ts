import { join } from "node:path";
import type { Kysely } from "kysely";
import { allModels, defaultQuotas, createId } from "../../packages/octavo/src/core/index.ts";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database, Tables } from "../../packages/octavo/src/db/index.ts";
import {
  createAgentJobs,
  createJobAnnouncer,
  createStaticExports,
  openAgentChanges,
  openQueue,
  openStaticExportChanges,
} from "../../packages/octavo/src/jobs/index.ts";
import { createMetrics } from "../../packages/octavo/src/telemetry/index.ts";
import { ampleSpace } from "../../test/support/ample-space.ts";
import { copyEntry, copyRow } from "./copies.ts";

export type JobKind = "static-export" | "agent";

/** An organization with projects that read one repository. */
export interface CrowdOrganization {
  readonly organizationId: string;
  readonly projects: readonly { readonly id: string; readonly domain: string }[];
}

/** Starts jobs as the API does, without HTTP, in the database of a service. */
export interface Crowd extends AsyncDisposable {
  readonly database: Database;
  addOrganization(projects: number): Promise<CrowdOrganization>;
  /** Returns the ID. */
  start(organization: CrowdOrganization, kind: JobKind): Promise<string>;
  /** As many for each project, by copies of rows. */
  startMany(organization: CrowdOrganization, kind: JobKind, each: number): Promise<void>;
}

const quiet = { info() {}, warn() {}, error() {} };

export async function openCrowd(url: string, dataDir: string, repository: string): Promise<Crowd> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await openDatabase({ dataDir: join(dataDir, "crowd"), url }));
  const queue = opening.use(await openQueue({ database, log: quiet, isWorker: false }));
  const shared = {
    database,
    queue,
    announcer: createJobAnnouncer({
      queue,
      toOrigin: (label) => `https://${label}.sites.example`,
      getRepositoryUrl: (id) => `https://docs.example/${id}`,
    }),
    space: ampleSpace,
    metrics: createMetrics(),
    quotas: defaultQuotas,
    allowedModels: allModels,
  };
  const changes = opening.use(await openStaticExportChanges(database));
  const agentChanges = opening.use(await openAgentChanges(database));
  const exports = createStaticExports({ ...shared, changes });
  const agents = createAgentJobs({ ...shared, changes: agentChanges, model: "builtin/recipes" });
  const startOne: Readonly<Record<JobKind, StartOne>> = {
    async "static-export"(handle, organizationId, { domain }) {
      const caller = { organizationId, projectId: null };
      return (await exports.start(caller, { domain }, handle)).job.jobId;
    },
    async agent(handle, organizationId, { id: projectId }) {
      const prompt = "replace `nowhere-to-be-found` with `anything`";
      return (await agents.create({ organizationId, projectId }, prompt, handle)).job.id;
    },
  };
  const opened = opening.move();
  return {
    database,
    addOrganization: (projects) => addOrganization(database, repository, projects),
    async start({ organizationId, projects: [project] }, kind) {
      if (!project) throw new Error("The organization has no projects.");
      return await startOne[kind](database.kysely, organizationId, project);
    },
    async startMany({ organizationId, projects }, kind, each) {
      await database.kysely.transaction().execute(async (transaction) => {
        for (const project of projects) {
          const of = await startOne[kind](transaction, organizationId, project);
          const newJobId = () => createId(kind === "agent" ? "agentJob" : "staticExport");
          const ids = Array.from({ length: each - 1 }, newJobId);
          for (const table of tablesOf[kind]) await copyRow(transaction, table, { of, ids });
          await copyEntry(transaction, of, ids);
        }
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const tablesOf = {
  "static-export": [{ table: "static_export_jobs", key: "id" }],
  agent: [
    { table: "agent_jobs", key: "id" },
    { table: "agent_messages", key: "job_id" },
  ],
} as const;

type StartOne = (
  handle: Kysely<Tables>,
  organizationId: string,
  project: CrowdOrganization["projects"][number],
) => Promise<string>;

async function addOrganization(
  { kysely }: Database,
  repository: string,
  count: number,
): Promise<CrowdOrganization> {
  const organizationId = createId("organization");
  await kysely
    .insertInto("organizations")
    .values({ id: organizationId, name: organizationId, plan: "enterprise" })
    .execute();
  const projects = Array.from({ length: count }, () => {
    const id = createId("project");
    return { id, domain: `${id.replace("_", "-")}.example.com` };
  });
  const rest = { repository, directory: ".", code_host: "local", name: "Docs" } as const;
  await kysely
    .insertInto("projects")
    .values(projects.map((project) => ({ ...project, ...rest, organization_id: organizationId })))
    .execute();
  return { organizationId, projects };
}
