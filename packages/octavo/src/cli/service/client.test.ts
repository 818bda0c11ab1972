import assert from "node:assert/strict";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openAuthor } from "../../../../../test/support/git-fixture.ts";
import { startService } from "../../../../../test/support/service.ts";
import type { RunningService } from "../../../../../test/support/service.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { brokenSite, run } from "../cli.test-support.ts";

interface Acted {
  readonly action: string;
}

describe("commands of a client", () => {
  const open = new AsyncDisposableStack();
  let cwd: string;
  let service: RunningService;
  let project: { readonly id: string; readonly domain: string };
  const octavo = (...args: string[]) => run(args, { cwd });
  const ok = async (...args: string[]) => {
    const { code, stdout, stderr } = await octavo(...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };

  before(async () => {
    ({ path: cwd } = open.use(await temporaryFolder()));
    service = open.use(await startService({ data: join(cwd, "data") }));
  });
  after(() => open.disposeAsync());

  it("say what is missing before a login", async () => {
    const { code, stderr } = await octavo("exports", "list");
    assert.equal(code, 2);
    assert.match(
      stderr,
      /Log in with "octavo login --url <url>", or set OCTAVO_URL and OCTAVO_KEY/,
    );
  });

  it("refuse a key that the service does not know, and keep nothing", async () => {
    await writeFile(join(cwd, "wrong"), "octavo_wrong\n");
    const { code, stderr } = await octavo("login", "--url", service.url, "--key-file", "wrong");
    assert.equal(code, 1);
    assert.match(stderr, /The API key is not valid/);
    await assert.rejects(readdir(join(cwd, "home/.config/octavo")));
  });

  it("keep a key for nobody else to read", async () => {
    await ok("login", "--url", `${service.url}/`, "--key-file", "data/admin-key");
    const file = join(cwd, "home/.config/octavo/logins.json");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), [
      { url: service.url, key: service.key },
    ]);
  });

  it("send a key to its own service only", async () => {
    const { code, stderr } = await octavo("api", "GET", "/v2/keys", "--url", "http://127.0.0.1:9");
    assert.equal(code, 2);
    assert.match(stderr, /There is no key for http:\/\/127\.0\.0\.1:9/);
  });

  it("make and change projects", async () => {
    const fields = ["--name", "Docs", "--domain", "docs.example.com", "--repository", "local"];
    project = JSON.parse(
      await ok("projects", "create", "--url", service.url, ...fields, "--json"),
    ) as typeof project;
    const change = ["--url", service.url, "--draft"];
    assert.match(await ok("projects", "set-pull-requests", project.id, ...change), /drafts: +yes/);
    const setModel = ["projects", "set-model", project.id, "openai/gpt-5", "--url", service.url];
    const refused = await octavo(...setModel);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /OPENAI_API_KEY, which is not set.*--no-test-model/s);
    assert.match(await ok(...setModel, "--no-test-model"), /model: +openai\/gpt-5/);
    const builtin = [project.id, "builtin/recipes", "--url", service.url];
    assert.match(await ok("projects", "set-model", ...builtin), /model: +builtin\/recipes/);
    assert.match(await ok("projects", "list", "--url", service.url), /docs\.example\.com/);
    const both = await octavo("projects", "list", "--url", service.url, "--data", "data");
    assert.equal(both.code, 2);
    const author = await openAuthor(join(cwd, "author"));
    await author.commit(brokenSite);
    const address = service.url.replace("//", `//x:${service.key}@`);
    await author.git("push", "--quiet", `${address}/git/${project.id}.git`, "main");
  });

  it("export a site, follow it, and fetch its bundle", async () => {
    const { code, stdout, stderr } = await octavo(
      "exports",
      "start",
      project.domain,
      "--out",
      "docs.zip",
      "--json",
    );
    assert.equal(code, 0, stderr);
    const job = JSON.parse(stdout) as { jobId: string; file: string; sizeBytes: number };
    assert.equal(job.file, join(cwd, "docs.zip"));
    assert.equal((await stat(job.file)).size, job.sizeBytes);
    assert.equal((await readFile(job.file)).subarray(0, 2).toString(), "PK");
    assert.match(stderr, /completed 100%, 2 pages/);
    assert.match(await ok("exports", "list"), new RegExp(`${job.jobId} +completed`));
    const shown = await ok("exports", "show", job.jobId);
    assert.match(shown, /status: +completed/);
    assert.doesNotMatch(shown, /\[object/);
    assert.match(await ok("exports", "download", job.jobId, "--out", "docs"), /docs \(.+B\)/);
    assert.match(await readFile(join(cwd, "docs/index.html"), "utf8"), /<html/);
    const misnamed = await octavo("exports", "download", job.jobId, "--out", "docs.tar.gz");
    assert.match(misnamed.stderr, /is a zip archive; name a file with the extension \.zip/);
    const cancelled = await octavo("exports", "cancel", job.jobId);
    assert.equal(cancelled.code, 1);
  });

  it("exit with 1 where what they follow fails", async () => {
    const { code, stdout } = await octavo("exports", "start", project.domain, "--ref", "gone", "--watch"); // prettier-ignore
    assert.equal(code, 1);
    assert.match(stdout, /error: .*gone/);
  });

  it("have an agent edit a site, and show what it did", async () => {
    const prompt = 'Rename the page "guides/start" to "guides/begin"';
    const { code, stdout, stderr } = await octavo("jobs", "create", project.domain, prompt, "--watch"); // prettier-ignore
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^- Moved guides\/start\.mdx → guides\/begin/m);
    assert.match(stdout, /pull request: http/);
    const [job] = JSON.parse(await ok("jobs", "list", project.domain, "--json")) as {
      id: string;
    }[];
    assert.ok(job);
    assert.match(await ok("jobs", "diff", project.id, job.id), /^rename to guides\/begin\.mdx$/m);
    assert.match(await ok("jobs", "archive", project.domain, job.id), /status: +archived/);
    const late = await octavo("jobs", "message", project.domain, job.id, "More");
    assert.equal(late.code, 1);
  });

  it("make, list and revoke keys", async () => {
    const place = ["--url", service.url];
    const named = ["--name", "Reader", "--scopes", "read", "--expires", "2100-01-31"];
    const made = JSON.parse(await ok("keys", "create", ...named, ...place, "--json")) as {
      id: string;
      secret: string;
    };
    assert.match(made.secret, /^octavo_/);
    const row = new RegExp(`^${made.id} .* read +2100-01-31T00:00:00\\.000Z .*Reader$`, "m");
    assert.match(await ok("keys", "list", ...place), row);
    assert.equal(await ok("keys", "revoke", made.id, ...place), `Revoked ${made.id}.\n`);
    assert.doesNotMatch(await ok("keys", "list", ...place), /Reader/);
    const limited = await octavo("keys", "create", "--name", "x", "--project", "prj_x", ...place);
    assert.equal(limited.code, 2);
    assert.match(limited.stderr, /projectId: /);
  });

  it("make, list and delete webhooks", async () => {
    const place = ["--url", service.url];
    const address = "https://hooks.invalid/hooks";
    const made = JSON.parse(
      await ok("webhooks", "create", address, "--events", "agent.failed", ...place, "--json"),
    ) as { id: string; secret: string };
    assert.match(made.secret, /^whsec_/);
    const row = new RegExp(`^${made.id} +active +${address} +agent\\.failed$`, "m");
    assert.match(await ok("webhooks", "list", ...place), row);
    const changed = await ok(
      "webhooks",
      "update",
      made.id,
      "--events",
      "agent.completed",
      ...place,
    );
    assert.equal(changed, `Changed ${made.id}.\n`);
    const other = ["--address", `${address}/other`];
    const { url, events } = JSON.parse(
      await ok("webhooks", "update", made.id, ...other, ...place, "--json"),
    ) as { url: string; events: string[] };
    assert.deepEqual([url, events], [`${address}/other`, ["agent.completed"]]);
    const [, message = ""] =
      /^Sending (msg_\w+)\.$/m.exec(await ok("webhooks", "test", made.id, ...place)) ?? [];
    const shown = await ok("webhooks", "show", made.id, ...place);
    assert.match(shown, new RegExp(`^${message} +(pending|failed) .* webhook\\.test +-$`, "m"));
    const unknown = await octavo("webhooks", "send-again", made.id, "msg_none", ...place);
    assert.match(unknown.stderr, /no message with this ID/);
    await ok("webhooks", "delete", made.id, ...place);
    assert.equal(await ok("webhooks", "list", ...place, "--json"), "[]\n");
  });

  it("read the audit log", async () => {
    const table = await ok("audit", "--action", "webhook.created");
    assert.match(table, /^\S+Z +First admin key +webhook\.created +hooks\.invalid$/m);
    assert.doesNotMatch(table, /key\.created/);
    const lines = (await ok("audit", "--json", "--until", "2100-01-01T00:00:00Z")).trim();
    const actions = lines.split("\n").map((line) => (JSON.parse(line) as Acted).action);
    for (const action of ["key.created", "key.revoked", "webhook.deleted"]) {
      assert.ok(actions.includes(action), action);
    }
    assert.equal(await ok("audit", "--json", "--since", "2100-01-01T00:00:00Z"), "");
    const { code, stderr } = await octavo("audit", "--action", "nothing");
    assert.equal(code, 2);
    assert.match(stderr, /action/);
  });

  it("call any operation", async () => {
    const hook = JSON.stringify({ url: "https://hooks.invalid/hooks", events: ["agent.failed"] });
    const created = JSON.parse(await ok("api", "post", "/v2/webhooks", "--data", hook)) as {
      id: string;
    };
    assert.equal(await ok("api", "DELETE", `/v2/webhooks/${created.id}`), "");
    const { code, stderr } = await octavo("api", "POST", "/v2/webhooks", "--data", "{");
    assert.equal(code, 2);
    assert.match(stderr, /--data is not JSON/);
  });

  it("forget a key", async () => {
    await ok("logout", "--url", service.url);
    assert.equal((await octavo("exports", "list")).code, 2);
  });
});
