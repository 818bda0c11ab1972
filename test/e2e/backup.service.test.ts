import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, copyFile, lstat, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { programArgs } from "../support/program.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

const run = promisify(execFile);
const domain = "docs.example.com";

async function octavo(...args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return await run(process.execPath, programArgs(args));
}

async function ask<Answer>(
  { url }: RunningService,
  key: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await fetch(url + path, {
    method: body ? "POST" : "GET",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.ok(response.ok, `${path}: ${response.status} ${text}`);
  return JSON.parse(text) as Answer;
}

/** Pushes a site of one page to a new project that the service hosts; gives its ID. */
async function addSite(service: RunningService, folder: string): Promise<string> {
  const fields = { name: "Docs", domain, repository: "local" };
  const { id } = await ask<{ id: string }>(service, service.key, "/v2/projects", fields);
  await writeFiles(folder, { "index.md": "# Hello\n" });
  const git = (...args: string[]) => run("git", ["-C", folder, ...args]);
  await git("init", "--quiet");
  await git("add", "--all");
  await git("-c", "user.name=Ada", "-c", "user.email=a@example.com", "commit", "-qm", "First");
  await git("push", "--quiet", remoteOf(service, service.key, id), "HEAD:main");
  return id;
}

function remoteOf({ url }: RunningService, key: string, id: string): string {
  return `${url.replace("//", `//x:${key}@`)}/git/${id}.git`;
}

async function finishExport(service: RunningService): Promise<string> {
  const { jobId } = await ask<{ jobId: string }>(service, service.key, "/v1/static-export/jobs", {
    domain,
  });
  const path = `/v1/static-export/jobs/${jobId}/events`;
  const headers = { authorization: `Bearer ${service.key}` };
  // The stream ends with the job.
  const events = await (await fetch(service.url + path, { headers })).text();
  assert.match(events, /"status":"completed"/);
  return jobId;
}

async function downloadBundle(service: RunningService, key: string, jobId: string) {
  const path = `/v1/static-export/jobs/${jobId}/bundle`;
  const { bundleUrl } = await ask<{ bundleUrl: string }>(service, key, path, {});
  const response = await fetch(bundleUrl);
  assert.equal(response.status, 200);
  return Buffer.from(await response.arrayBuffer());
}

/** Lists the files and folders that other users of the machine can access. */
async function listOpen(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  const modes = await Promise.all(
    ["", ...names].map(async (name) => ({ name, mode: (await lstat(join(folder, name))).mode })),
  );
  assert.ok(modes.length > 5, `${folder} has few files`);
  // Tests start with a database that they copied themselves.
  const own = modes.filter(({ name }) => !/^database\b/.test(name));
  return own.filter(({ mode }) => (mode & 0o077) !== 0).map(({ name }) => name);
}

test("a backup of a running service makes one that has its keys, jobs, bundles and repositories", async () => {
  await using folder = await temporaryFolder();
  const at = (...parts: string[]) => join(folder.path, ...parts);
  const service = await startService({ data: at("data") });
  await using _ = service;
  const project = await addSite(service, at("site"));
  const jobId = await finishExport(service);
  const bundle = await downloadBundle(service, service.key, jobId);
  const place = at("backup");
  await mkdir(place, { mode: 0o755 });
  const { stdout, stderr } = await octavo("backup", place, "--data", at("data"));
  assert.match(stdout, /^The backup of \S+ is complete: /);
  assert.match(stderr, /Keep the secret separately/);
  for (const folder of [place, at("data")]) assert.deepEqual(await listOpen(folder), []);
  // A folder that is used for other things too stays as open as it is; the backup in it is closed.
  const shared = at("shared");
  await writeFiles(shared, { "readme.txt": "others" });
  await chmod(shared, 0o755);
  await octavo("backup", shared, "--data", at("data"));
  assert.equal((await lstat(shared)).mode & 0o777, 0o755);
  const open = await listOpen(shared);
  assert.deepEqual(open.filter((name) => !["", "readme.txt"].includes(name)), []); // prettier-ignore
  await service.end("SIGTERM");

  await assert.rejects(octavo("restore", place, "--data", at("new")), /There is no secret in/);
  await mkdir(at("new"), { recursive: true });
  await copyFile(at("data", "secret"), at("new", "secret"));
  await octavo("restore", place, "--data", at("new"));
  // The start finds the key where the first one left it.
  await copyFile(at("data", "admin-key"), at("new", "admin-key"));
  await using restored = await startService({ data: at("new"), isFirstStart: true });
  assert.equal(restored.key, service.key);
  assert.deepEqual(await downloadBundle(restored, service.key, jobId), bundle);
  await run("git", ["clone", "--quiet", remoteOf(restored, service.key, project), at("clone")]);
  const { stdout: commit } = await run("git", ["-C", at("clone"), "rev-parse", "HEAD"]);
  const { stdout: pushed } = await run("git", ["-C", at("site"), "rev-parse", "HEAD"]);
  assert.equal(commit, pushed);
});
