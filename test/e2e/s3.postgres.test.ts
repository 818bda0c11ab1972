import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";
import { createApiClient } from "../support/api-client.ts";
import { commitSiteFiles, git } from "../support/git-site.ts";
import { startPostgres } from "../support/postgres.ts";
import { startS3 } from "../support/s3-stand-in.ts";
import type { S3StandIn } from "../support/s3-stand-in.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const domain = "docs.example.com";
const jobs = "/v1/static-export/jobs";

/** A repository with a site whose bundle needs parts: what is random cannot be compressed. */
async function makeRepository(folder: string): Promise<string> {
  await mkdir(join(folder, "images"), { recursive: true });
  await writeFile(join(folder, "images/noise.png"), randomBytes(30_000_000));
  await commitSiteFiles(folder, {
    "docs.json": JSON.stringify({ name: "Docs", navigation: { pages: ["index"] } }),
    "index.mdx": "---\ntitle: Home\n---\n\n![Noise](/images/noise.png)\n",
  });
  await git(folder, "gc", "--quiet");
  return pathToFileURL(folder).href;
}

async function startExport(service: RunningService, repository: string): Promise<string> {
  const client = createApiClient(service.url, service.key);
  await client.call("POST", "/v2/projects", { body: { name: "Docs", domain, repository } });
  const { body } = await client.call<{ jobId: string }>("POST", jobs, { body: { domain } });
  return body.jobId;
}

/** The one stored bundle and what its link gives, which has to be the same bytes. */
async function download(service: RunningService, server: S3StandIn, jobId: string): Promise<void> {
  const client = createApiClient(service.url, service.key);
  const job = await client.waitForExport(jobId);
  assert.equal(job.status, "completed", job.error ?? "");
  const { body } = await client.call<{ bundleUrl: string }>("POST", `${jobs}/${jobId}/bundle`);
  const bytes = Buffer.from(await (await fetch(body.bundleUrl)).arrayBuffer());
  const hash = createHash("sha256").update(bytes).digest("hex");
  const bundles = [...server.objects.keys()].filter((key) => key.includes("/bundles/"));
  assert.deepEqual(bundles, [`octavo/bundles/${hash}.tar.gz`]);
  assert.equal(server.uploads.size, 0);
}

test("of nodes that share a bucket and a database one serves what another exported, and a node with a storage of its own is refused", async () => {
  await using root = await temporaryFolder();
  await using server = await startS3();
  await using postgres = await startPostgres();
  const repository = await makeRepository(join(root.path, "repository"));
  const shared = {
    DATABASE_URL: await postgres.createDatabase(),
    OCTAVO_SECRET: "one secret for all nodes",
    OCTAVO_ALLOW: pathToFileURL(root.path).href,
  };
  const env = { ...shared, ...server.environment };
  const start = async (name: string, nodeEnv: Readonly<Record<string, string>>) => {
    const data = join(root.path, name);
    // The first node writes the key of the installation, for a person to keep.
    await mkdir(data, { recursive: true });
    const key = join(root.path, "first/admin-key");
    if (name !== "first") await cp(key, join(data, "admin-key"));
    return startService({ data, env: nodeEnv, isFirstStart: true });
  };
  await using first = await start("first", env);
  await using second = await start("second", {
    ...env,
    OCTAVO_ROLES: "api",
    OCTAVO_S3_DIRECT_LINKS: "on",
  });
  const jobId = await startExport(second, repository);
  await download(first, server, jobId);
  await download(second, server, jobId);
  await assertDirectLinks(second, server, jobId);
  await assertHosted(root.path, { first, second, server });
  await assert.rejects(start("third", shared), /need the same storage: S3, or a folder that all/);
  server.setFault(() => ({ status: 503, code: "SlowDown" }));
  const unready = await fetch(`${first.url}/readyz`);
  assert.equal(unready.status, 503);
  assert.match(await unready.text(), /overloaded/);
  server.setFault(undefined);
  // What was found out last is told for a moment more.
  while ((await fetch(`${first.url}/readyz`)).status !== 200) await sleep(50);
  for (const secret of Object.values(server.credentials)) {
    assert.ok(!(first.output() + second.output()).includes(secret));
  }
});

/** Asserts that a push to a repository on one node can be cloned from the other, and is in the bucket. */
async function assertHosted(
  folder: string,
  nodes: { first: RunningService; second: RunningService; server: S3StandIn },
): Promise<void> {
  const { first, second, server } = nodes;
  const body = { name: "Hosted", domain: "hosted.example.com", repository: "local" };
  const made = await createApiClient(second.url, second.key).call<{ id: string }>(
    "POST",
    "/v2/projects",
    { body },
  );
  const addressAt = ({ url, key }: RunningService) =>
    `${url.replace("//", `//x:${key}@`)}/git/${made.body.id}.git`;
  const author = join(folder, "author");
  await commitSiteFiles(author, { "index.mdx": "Hello\n" });
  await git(author, "push", "--quiet", addressAt(first), "HEAD:main");
  await git(folder, "clone", "--quiet", addressAt(second), "clone");
  assert.equal(await readFile(join(folder, "clone/index.mdx"), "utf8"), "Hello\n");
  assert.ok([...server.objects.keys()].some((key) => key.includes(`/${made.body.id}/`)));
}

async function assertDirectLinks(
  service: RunningService,
  server: S3StandIn,
  jobId: string,
): Promise<void> {
  const client = createApiClient(service.url, service.key);
  const { body } = await client.call<{ bundleUrl: string }>("POST", `${jobs}/${jobId}/bundle`);
  const redirect = await fetch(body.bundleUrl, { redirect: "manual" });
  assert.equal(redirect.status, 302);
  assert.ok(redirect.headers.get("location")?.startsWith(`${server.url}/bundles/octavo/bundles/`));
  const part = await fetch(body.bundleUrl, { headers: { range: "bytes=4-8" } });
  assert.equal(part.status, 206);
  assert.equal((await part.arrayBuffer()).byteLength, 5);
  assert.equal(part.headers.get("content-type"), "application/gzip");
  assert.match(part.headers.get("content-disposition") ?? "", /^attachment; filename="docs\.ex/);
  const head = await fetch(body.bundleUrl, { method: "HEAD", redirect: "manual" });
  assert.equal(head.status, 200);
}

test("an upload whose node was killed is continued, and its bundle is linked once and whole", async () => {
  await using root = await temporaryFolder();
  await using server = await startS3();
  const repository = await makeRepository(join(root.path, "repository"));
  const data = join(root.path, "data");
  const env = { OCTAVO_ALLOW: pathToFileURL(root.path).href, ...server.environment };
  await using killed = await startService({ data, env });
  server.setFault(({ partNumber = 0 }) => (partNumber > 2 ? "hang" : undefined));
  const jobId = await startExport(killed, repository);
  const sent = () => [...server.uploads.values()].flatMap(({ parts }) => [...parts.keys()]);
  while (sent().length < 2) await sleep(50);
  await killed.end("SIGKILL");
  const bundles = () => [...server.objects.keys()].filter((key) => key.includes("/bundles/"));
  assert.deepEqual(bundles(), []);
  const [uploadId] = server.uploads.keys();
  server.setFault(undefined);
  server.requests.length = 0;
  await using second = await startService({ data, env });
  await download(second, server, jobId);
  const again = server.requests.filter(({ operation }) => operation === "UploadPart");
  assert.deepEqual(new Set(again.map(({ partNumber }) => partNumber)), new Set([3, 4]));
  assert.ok(uploadId !== undefined && !server.uploads.has(uploadId));
  assert.ok(!server.requests.some(({ operation }) => operation === "CreateMultipartUpload"));
  await second.end("SIGTERM");
});
