import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { Client } from "pg";
import type { StaticExportJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { commitSiteFiles, manyPages } from "../support/git-site.ts";
import { startPostgres } from "../support/postgres.ts";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** How often all connections are terminated; `npm run test:chaos` does it 400 times. */
const rounds = 8 * Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 2);
const exportsPath = "/v1/static-export/jobs";

/** Terminates every connection to a database, as a failover or an administrator does. */
async function openTerminator(server: string, database: string) {
  const client = new Client({ connectionString: server });
  await client.connect();
  return {
    async terminate(): Promise<number> {
      const { rowCount } = await client.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
        [database],
      );
      return rowCount ?? 0;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Starts an export, again with the same key until it is acknowledged. */
async function startExport(client: ApiClient, domain: string): Promise<string> {
  const headers = { "idempotency-key": randomUUID() };
  for (;;) {
    const started = await client.call<StaticExportJob>("POST", exportsPath, {
      body: { domain },
      headers,
    });
    if (started.status === 202) return started.body.jobId;
    assertUnavailable(started);
    await wait(20);
  }
}

function assertUnavailable({ status, headers, body }: Awaited<ReturnType<ApiClient["call"]>>) {
  // 409: the first call with this key has not noticed yet that its connection is gone.
  assert.ok(status === 503 || status === 409, JSON.stringify(body));
  if (status === 503) assert.ok(headers.get("retry-after"));
}

async function waitForEnd(client: ApiClient, jobId: string): Promise<StaticExportJob> {
  for (;;) {
    const read = await client.call<StaticExportJob>("GET", `${exportsPath}/${jobId}`);
    if (read.status !== 200) assertUnavailable(read);
    else if (["completed", "failed"].includes(read.body.status)) return read.body;
    await wait(30);
  }
}

test(`a node outlives ${rounds} terminations of all its connections, and loses no job`, async () => {
  await using root = await temporaryFolder();
  await using postgres = await startPostgres();
  const databaseUrl = await postgres.createDatabase();
  const database = new URL(databaseUrl).pathname.slice(1);
  await using terminator = await openTerminator(postgres.url, database);
  const repository = join(root.path, "repository");
  await mkdir(repository);
  await commitSiteFiles(repository, manyPages(3));
  await using service = await startService({
    data: join(root.path, "data"),
    isFirstStart: true,
    env: {
      DATABASE_URL: databaseUrl,
      OCTAVO_SECRET: "0123456789abcdef0123456789abcdef",
      OCTAVO_ALLOW: pathToFileURL(root.path).href,
    },
  });
  const client = createApiClient(service.url, service.key);
  const project = {
    name: "Docs",
    domain: "docs.example.com",
    repository: pathToFileURL(repository).href,
  };
  await client.call("POST", "/v2/projects", { body: project });
  const acknowledged: string[] = [];
  const over = new AbortController();
  const starting = async () => {
    while (!over.signal.aborted) {
      const jobId = await startExport(client, project.domain);
      acknowledged.push(jobId);
      if (acknowledged.length % 4 === 0) await waitForEnd(client, jobId);
    }
  };
  const terminating = async () => {
    for (let terminated = 0; terminated < rounds && !over.signal.aborted; await wait(50)) {
      if ((await terminator.terminate()) > 0) terminated += 1;
    }
  };
  // Whichever ends, or fails, ends the other.
  await Promise.all([starting, terminating].map((run) => run().finally(() => over.abort())));
  for (const jobId of acknowledged) {
    const { status, error } = await waitForEnd(client, jobId);
    assert.equal(status, "completed", error ?? undefined);
  }
  const { body } = await client.call<{ jobs: StaticExportJob[] }>(
    "GET",
    `${exportsPath}?limit=100`,
  );
  const newest = acknowledged.toReversed().slice(0, 100);
  assert.deepEqual(
    body.jobs.map(({ jobId }) => jobId),
    newest,
  );
  assert.equal(await service.end("SIGTERM"), 0, service.output());
});
