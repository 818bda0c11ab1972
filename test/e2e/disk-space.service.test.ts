import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { startService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const says =
  /^The disk of the service's data folder has only \d+ MB left, but the service needs \d+ MB\./;

test("a service with too little disk space takes no new work, says why, and still answers", async () => {
  await using folder = await temporaryFolder();
  const root = folder.path;
  await using service = await startService({
    data: join(root, "data"),
    env: { OCTAVO_MIN_FREE_MB: "99999999" },
  });
  const ask = async (path: string, body?: object) => {
    const response = await fetch(service.url + path, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { response, text: await response.text() };
  };
  const domain = "docs.example.com";
  const made = await ask("/v2/projects", { name: "Docs", domain, repository: "local" });
  assert.equal(made.response.status, 201, made.text);
  const { id } = JSON.parse(made.text) as { id: string };
  const works: [path: string, body: object][] = [
    ["/v1/static-export/jobs", { domain }],
    [`/v2/agent/${id}/job`, { prompt: "Fix the broken links" }],
  ];
  for (const [path, body] of works) {
    const { response, text } = await ask(path, body);
    assert.equal(response.status, 503, text);
    assert.match((JSON.parse(text) as { error: string }).error, says);
    assert.ok(Number(response.headers.get("retry-after")) > 0);
  }
  assert.equal((await ask("/healthz")).response.status, 200);
  const ready = await ask("/readyz");
  assert.equal(ready.response.status, 503);
  assert.match(ready.text, /MB left/);
  assert.match((await ask("/metrics")).text, /^octavo_disk_free_bytes\{folder="data"\} \d+$/m);
  const listed = await ask(`/v1/static-export/jobs?domain=${domain}`);
  assert.equal(listed.text, '{"jobs":[],"nextCursor":null}');

  const remote = `${service.url.replace("//", `//x:${service.key}@`)}/git/${id}.git`;
  const work = join(root, "work");
  const git = (...args: string[]) => promisify(execFile)("git", ["-C", work, ...args]);
  await promisify(execFile)("git", ["init", "--quiet", work]);
  const author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
  await git(...author, "commit", "--quiet", "--allow-empty", "--message", "First");
  await assert.rejects(git("push", remote, "HEAD:main"), /503/);
});
