import { sql } from "kysely";
import type { Kysely } from "kysely";
import { createId } from "../../packages/octavo/src/core/index.ts";
import type { Tables } from "../../packages/octavo/src/db/index.ts";
import type { RunningDashboard } from "../../test/support/running-dashboard.ts";

/** The data that the pages show. */
export interface Filling {
  readonly projects: number;
  /** Exports and agent jobs, half of each. */
  readonly jobs: number;
  /** The number of files in the pull request. */
  readonly files: number;
}

export interface Filled {
  readonly key: string;
  readonly projectId: string;
  readonly exportId: string;
  readonly agentJobId: string;
  readonly pullRequest: number;
}

const batchSize = 500;
const failed = { status: "failed", progress: 0, error: "The site has no pages." } as const;
const completed = { status: "completed", progress: 100, error: null } as const;

/** Fills a service with a large organization, in which one project has a large pull request and many of the jobs. */
export async function fillService(
  dashboard: RunningDashboard,
  { projects, jobs, files }: Filling,
): Promise<Filled> {
  const db = dashboard.node.records.database.kysely;
  const { id: organizationId, key } = await dashboard.openOrganization();
  const hosted = await dashboard.addProject(organizationId);
  const projectIds = [hosted.project.id];
  for (let count = 1; count < projects; count += 1) {
    const fields = { name: `Project ${count}`, domain: `p${count}.acme.example` };
    const created = await dashboard.node.records.projects.create(organizationId, {
      ...fields,
      repository: "https://git.example/docs",
    });
    projectIds.push(created.id);
  }
  // A tenth of all jobs are of one project.
  const projectOf = (index: number) =>
    projectIds[index % 10 === 0 ? 0 : index % projectIds.length] ?? "";
  const exportIds = await addExports(db, { organizationId, count: jobs / 2, projectOf });
  const agentJobIds = await addAgentJobs(db, { organizationId, count: jobs / 2, projectOf });
  await sql`analyze`.execute(db);
  const pages = (word: string) =>
    Object.fromEntries(
      Array.from({ length: files }, (_, name) => [`pages/p${name}.mdx`, pageText(name, word)]),
    );
  await hosted.pushMain(pages("old"));
  await hosted.pushBranch("octavo/large", pages("new"));
  const pullRequest = await hosted.openPullRequest("octavo/large");
  return {
    key,
    projectId: hosted.project.id,
    exportId: exportIds[0] ?? "",
    agentJobId: agentJobIds[0] ?? "",
    pullRequest,
  };
}

function pageText(name: number, word: string): string {
  return `---\ntitle: Page ${name}\n---\n\n${`A sentence about ${word} things. `.repeat(20)}\n`;
}

interface JobFilling {
  readonly organizationId: string;
  readonly count: number;
  readonly projectOf: (index: number) => string;
}

async function addExports(
  db: Kysely<Tables>,
  { organizationId, count, projectOf }: JobFilling,
): Promise<readonly string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: createId("staticExport"),
    organization_id: organizationId,
    project_id: projectOf(index),
    domain: "docs1.acme.example",
    format: "zip" as const,
    ...(index % 9 === 0 ? failed : completed),
    completed_at: new Date(),
  }));
  for (const batch of batchesOf(rows)) {
    await db.insertInto("static_export_jobs").values(batch).execute();
  }
  return rows.map(({ id }) => id);
}

async function addAgentJobs(
  db: Kysely<Tables>,
  { organizationId, count, projectOf }: JobFilling,
): Promise<readonly string[]> {
  const rows = Array.from({ length: count }, (_, index) => ({
    id: createId("agentJob"),
    organization_id: organizationId,
    project_id: projectOf(index),
    status: "completed" as const,
    ended_at: new Date(),
    model: "builtin/recipes",
    repository: "local",
    branch: `octavo/agent-${index}`,
    summary: "Mended the links.",
  }));
  for (const batch of batchesOf(rows)) await db.insertInto("agent_jobs").values(batch).execute();
  const messages = rows.map(({ id }) => ({
    job_id: id,
    turn: 1,
    text: "Fix the broken links",
    state: "done" as const,
  }));
  for (const batch of batchesOf(messages)) {
    await db.insertInto("agent_messages").values(batch).execute();
  }
  return rows.map(({ id }) => id);
}

function batchesOf<Row>(rows: readonly Row[]): readonly Row[][] {
  const count = Math.ceil(rows.length / batchSize);
  return Array.from({ length: count }, (_, at) => rows.slice(at * batchSize, (at + 1) * batchSize));
}
