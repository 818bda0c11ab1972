import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { commitSiteFiles, manyPages } from "../support/git-site.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** How often the service is killed; `npm run test:chaos` does it more often. */
const rounds = Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 2);
const pages = 240;

interface Job {
  readonly jobId: string;
  readonly status: string;
  readonly progress: number;
  readonly pageCount: number;
  readonly commit: string | null;
  readonly error?: string;
}

async function call<T>(
  service: RunningService,
  method: string,
  path: string,
  body?: object,
): Promise<T> {
  const response = await fetch(service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${service.key}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Polls until `enough` holds; every state must not be behind the one before. */
async function follow(
  service: RunningService,
  start: Job,
  enough: (job: Job) => boolean,
): Promise<Job> {
  let last = start;
  for (;;) {
    const job = await call<Job>(service, "GET", `/v1/static-export/jobs/${start.jobId}`);
    assert.ok(
      job.progress >= last.progress,
      `progress went from ${last.progress} to ${job.progress}`,
    );
    assert.ok(job.pageCount >= last.pageCount, "pageCount went down");
    assert.ok(
      last.status !== "running" || job.status !== "queued",
      "a running job was queued again",
    );
    last = job;
    if (enough(job) || job.status === "failed") return job;
    await wait(20);
  }
}

async function setUp(
  root: string,
): Promise<{ data: string; repository: string; env: Record<string, string> }> {
  const repository = join(root, "repository");
  await mkdir(repository);
  await commitSiteFiles(repository, manyPages(pages));
  return { data: join(root, "data"), repository, env: { OCTAVO_ALLOW: pathToFileURL(root).href } };
}

async function addProject(service: RunningService, repository: string): Promise<void> {
  await call(service, "POST", "/v2/projects", {
    name: "Many",
    domain: "many.example.com",
    repository: pathToFileURL(repository).href,
  });
}

/** Starts a job of a new commit, and gives it when it is at work and so far; another where it ended before it was seen. */
async function startToInterrupt(
  service: RunningService,
  repository: string,
  progress: number,
): Promise<{ seen: Job; commit: string }> {
  for (;;) {
    // A changed configuration renders every page anew, so that each job has work to interrupt.
    const config = { name: `Commit ${randomUUID()}`, navigation: { pages: ["index"] } };
    const commit = await commitSiteFiles(repository, { "docs.json": JSON.stringify(config) });
    const path = "/v1/static-export/jobs";
    const started = await call<Job>(service, "POST", path, { domain: "many.example.com" });
    const seen = await follow(
      service,
      started,
      (job) => job.status === "completed" || (job.status === "running" && job.progress >= progress),
    );
    if (seen.status !== "completed") return { seen, commit };
  }
}

test(`a job goes on after the service was killed, ${rounds} times`, async () => {
  await using root = await temporaryFolder();
  const { data, repository, env } = await setUp(root.path);
  let service = await startService({ data, env });
  await using open = new AsyncDisposableStack();
  open.defer(() => service[Symbol.asyncDispose]());
  await addProject(service, repository);
  for (let round = 0; round < rounds; round += 1) {
    const progress = (80 * round) / rounds;
    const { seen, commit } = await startToInterrupt(service, repository, progress);
    await service.end("SIGKILL");
    service = await startService({ data, env });
    const ended = await follow(service, seen, (job) => job.status === "completed");
    assert.equal(ended.status, "completed", ended.error);
    assert.equal(ended.progress, 100);
    assert.equal(ended.pageCount, pages + 1);
    assert.equal(ended.commit, commit);
  }
  await service.end("SIGTERM");
});

test("SIGTERM gives a running job back, and the next start takes it up", async () => {
  await using root = await temporaryFolder();
  const { data, repository, env } = await setUp(root.path);
  await using first = await startService({ data, env });
  await addProject(first, repository);
  const { seen } = await startToInterrupt(first, repository, 0);
  assert.equal(await first.end("SIGTERM"), 0, first.output());
  await using second = await startService({ data, env });
  const ended = await follow(second, seen, (job) => job.status === "completed");
  assert.equal(ended.status, "completed", ended.error);
  await second.end("SIGTERM");
});

test("a second process on the same data folder is refused with a sentence", async () => {
  await using root = await temporaryFolder();
  const data = join(root.path, "data");
  await using first = await startService({ data });
  await assert.rejects(startService({ data }), (error: Error) => {
    assert.match(error.message, /in use|already|another process/i);
    assert.doesNotMatch(error.message, /\n\s+at /);
    return true;
  });
  await first.end("SIGTERM");
});
