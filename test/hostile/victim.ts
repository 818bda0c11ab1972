import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { readProcessUsage } from "../../packages/site/src/export/testing.ts";
import type { StaticExportJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { git } from "../support/git-site.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/** A service that is attacked, in a process of its own. */
export interface Victim extends AsyncDisposable {
  readonly service: RunningService;
  readonly client: ApiClient;
  /** A project that the service hosts, with a site in it. */
  addProject(files: Readonly<Record<string, string>>): Promise<HostedSite>;
  /** Exports a project and waits for the end. */
  export(site: HostedSite): Promise<StaticExportJob>;
  /** Returns the resources of the service's own process, without its children. */
  usage(): Promise<{ readonly megabytes: number; readonly cpuMs: number }>;
}

export interface HostedSite {
  readonly id: string;
  readonly domain: string;
}

export async function startVictim(env: Readonly<Record<string, string>> = {}): Promise<Victim> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const service = opening.use(await startService({ data: join(folder.path, "data"), env }));
  const client = createApiClient(service.url, service.key);
  const opened = opening.move();
  let projects = 0;
  return {
    service,
    client,
    async addProject(files) {
      const number = ++projects;
      const domain = `docs-${number}.example.com`;
      const body = { name: `Docs ${number}`, domain, repository: "local" };
      const made = await client.call<{ id: string }>("POST", "/v2/projects", { body });
      const { id } = made.body;
      const work = join(folder.path, `work-${number}`);
      await writeFiles(work, files);
      await git(work, "init", "--quiet", "--initial-branch=main");
      await git(work, "add", "--all", "--force");
      await git(work, "commit", "--quiet", "--message", "Write");
      const address = `${service.url.replace("//", `//x:${service.key}@`)}/git/${id}.git`;
      await promisify(execFile)("git", ["-C", work, "push", "--quiet", address, "main"]);
      return { id, domain };
    },
    async export({ domain }) {
      const { status, body } = await client.call<{ jobId: string }>(
        "POST",
        "/v1/static-export/jobs",
        { body: { domain } },
      );
      if (status !== 202)
        throw new Error(`The export was answered ${status}: ${JSON.stringify(body)}`);
      return await client.waitForExport(body.jobId);
    },
    async usage() {
      const usage = await readProcessUsage(service.pid);
      const { residentBytes = 0, cpuMs = 0 } = usage ?? {};
      return { megabytes: Math.round(residentBytes / 1024 / 1024), cpuMs };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
