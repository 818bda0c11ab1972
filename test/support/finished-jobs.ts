import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "./api-client.ts";
import { openAuthor } from "./git-fixture.ts";
import type { Author } from "./git-fixture.ts";
import { programArgs } from "./program.ts";
import { startService } from "./service.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** The result of one instruction to a service without a model or a key for one. */
export interface FinishedJob {
  readonly prompt: string;
  readonly job: AgentJob;
  readonly diff: string;
  /** The pull request's text; undefined where there is none. */
  readonly body: string | undefined;
  /** `octavo check --json`, run anew on the branch; on the base where there is none. */
  readonly after: ReportedProblems;
}

export interface ReportedProblems {
  readonly errors: number;
  readonly warnings: number;
  readonly problems: readonly {
    readonly code: string;
    readonly message: string;
    readonly file: string;
    readonly line?: number;
  }[];
}

export interface FinishedJobs {
  /** `octavo check --json` of the base. */
  readonly before: ReportedProblems;
  readonly jobs: readonly FinishedJob[];
}

/**
 * Starts a service anew, gives it a project with the site in a repository of its own, has every instruction
 * done, and looks at what came of it from outside: over HTTP, with git and with the command line.
 */
export async function finishJobs(
  siteDir: string,
  prompts: readonly string[],
): Promise<FinishedJobs> {
  await using root = await temporaryFolder();
  const data = join(root.path, "data");
  const author = await openAuthor(join(root.path, "author"));
  await cp(siteDir, author.folder, { recursive: true });
  await author.commit({});
  const before = await checkAnew(author.folder);
  await using service = await startService({ data });
  const client = createApiClient(service.url, service.key);
  const fields = { name: "Docs", domain: "docs.example.com", repository: "local" };
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", {
    body: fields,
  });
  const address = service.url.replace("http://", `http://x:${service.key}@`);
  await author.git("remote", "add", "origin", `${address}/git/${project.id}.git`);
  await author.git("push", "--quiet", "origin", "main");

  const path = `/v2/agent/${project.id}/job`;
  const created = [];
  for (const prompt of prompts) {
    const { body: job } = await client.call<AgentJob>("POST", path, { body: { prompt } });
    created.push({ prompt, id: job.id });
  }
  const ended = [];
  for (const { prompt, id } of created) {
    const job = await client.waitForAgentJob(`${path}/${id}`);
    const { body } = await client.call<string>("GET", `${path}/${id}/diff`);
    const diff = typeof body === "string" ? body : "";
    ended.push({ prompt, job, diff, after: await checkBranch(author, job, before) });
  }
  await service.end("SIGTERM");
  const bodies = await readBodies(data);
  return {
    before,
    jobs: ended.map((end) => ({ ...end, body: bodies.get(end.job.source.ref) })),
  };
}

async function checkBranch(
  author: Author,
  { prLink, source }: AgentJob,
  before: ReportedProblems,
): Promise<ReportedProblems> {
  if (prLink === null) return before;
  await author.git("fetch", "--quiet", "origin", source.ref);
  await author.git("checkout", "--quiet", "--detach", "FETCH_HEAD");
  return await checkAnew(author.folder);
}

async function checkAnew(folder: string): Promise<ReportedProblems> {
  const args = programArgs(["check", folder, "--json", "--no-cache"]);
  const options = { maxBuffer: 64 * 1024 * 1024 };
  // It ends with 1 where there are errors, and prints its report all the same.
  const { stdout } = await run(process.execPath, args, options).catch(
    (error: { readonly stdout: string }) => error,
  );
  return JSON.parse(stdout) as ReportedProblems;
}

async function readBodies(data: string): Promise<ReadonlyMap<string, string>> {
  await using database = await openDatabase({ dataDir: data });
  const rows = await database.kysely.selectFrom("pull_requests").select(["head", "body"]).execute();
  return new Map(rows.map(({ head, body }) => [head, body]));
}

/** The counts that a pull request's text gives: errors and warnings, before and after. */
export function countsIn(body: string): {
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
} {
  const row = (name: string) => {
    const found = new RegExp(`^\\| ${name} \\| (\\d+) \\| (\\d+) \\|$`, "m").exec(body);
    return found === null ? [] : [Number(found[1]), Number(found[2])];
  };
  return { errors: row("errors"), warnings: row("warnings") };
}
