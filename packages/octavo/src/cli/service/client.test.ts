import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { openAuthor } from "../../../../../test/support/git-fixture.ts";
import { startService } from "../../../../../test/support/service.ts";
import type { RunningService } from "../../../../../test/support/service.ts";
import { patience } from "../../../../../test/support/patience.ts";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import type { AddressedDeployment } from "../../jobs/index.ts";
import { brokenSite, canRunInTerminal, run, runInTerminal } from "../cli.test-support.ts";

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
      /Log in with "node \S+octavo\.js login <url>", or set OCTAVO_URL and OCTAVO_KEY/,
    );
  });

  it("refuse a key that the service does not know, and keep nothing", async () => {
    await writeFile(join(cwd, "wrong"), "octavo_wrong\n");
    const { code, stderr } = await octavo("login", "--url", service.url, "--key-file", "wrong");
    assert.equal(code, 1);
    assert.match(stderr, /The API key is not valid/);
    await assert.rejects(readdir(join(cwd, "home/.config/octavo")));
  });

  it("refuse to guess the service, or to choose between two", async () => {
    const none = await octavo("login", "--key-file", "data/admin-key");
    assert.deepEqual([none.code, none.stdout], [2, ""]);
    assert.match(none.stderr, /Name the address of the service, e\.g\. "node \S+ login http:/);
    const both = await octavo("login", service.url, "--url", "http://127.0.0.1:9");
    assert.equal(both.code, 2);
    assert.match(both.stderr, /and --url names http:\/\/127\.0\.0\.1:9; name only one/);
    assert.match(await ok("logout"), /^$/);
  });

  it("ask for a key in a terminal without showing it", async (t) => {
    if (!canRunInTerminal) return t.skip("Only script of util-linux takes a command.");
    const question = `Key for ${service.url} (not shown): `;
    const { code, shown } = await runInTerminal(["login", service.url], {
      cwd,
      answers: [[question, `${service.key}\n`]],
    });
    assert.equal(code, 0, shown);
    assert.ok(!shown.includes(service.key), "The terminal shows the key.");
    assert.match(shown, /Logged in to http/);
    assert.match(await ok("exports", "list"), /^ID +STATUS/);
    const cancelled = await runInTerminal(["login", service.url], {
      cwd,
      answers: [[question, "half\u0003"]],
    });
    assert.equal(cancelled.code, 130, cancelled.shown);
    assert.match(cancelled.shown, /No key was entered, so you are not logged in\./);
    await ok("logout");
  });

  it("keep a key for nobody else to read", async () => {
    await ok("login", `${service.url}/`, "--key-file", "data/admin-key");
    const file = join(cwd, "home/.config/octavo/logins.json");
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), [
      { url: service.url, key: service.key },
    ]);
  });

  it("send a key to its own service only", async () => {
    const { code, stderr } = await octavo("api", "GET", "/v2/keys", "--url", "http://127.0.0.1:9");
    assert.equal(code, 2);
    assert.match(stderr, /No key is stored for http:\/\/127\.0\.0\.1:9/);
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

  it("publish a folder that is rendered here, and a site that another program made", async () => {
    await writeFiles(join(cwd, "manual"), { "index.mdx": "---\ntitle: Manual\n---\n\nHere.\n" });
    const commit = "c".repeat(40);
    const options = ["--project", project.domain, "--commit", commit];
    const address = `http://example.localhost:${new URL(service.url).port}/`;
    assert.equal(await ok("publish", "manual", ...options), `Published ${address}\n`);
    assert.match(await read("example.localhost", "/"), /<p>Here\.<\/p>/);
    await writeFiles(join(cwd, "made"), {
      "index.html": "<p>Made elsewhere",
      "more/page.html": "<p>More",
      ".env": "secret",
      ".well-known/x": "known",
    });
    const { code, stdout, stderr } = await octavo("publish", "made");
    assert.deepEqual([code, stdout], [0, `Published ${address}\n`], stderr);
    assert.match(stderr, /Left out 1 file whose name begins with a dot\./);
    assert.match(await read("example.localhost", "/more/page"), /More/);
    assert.match(await read("example.localhost", "/.well-known/x"), /known/);
    assert.match(await read("example.localhost", "/.env"), /^There is no such page/);
    const again = await octavo("publish", "made", "--json");
    const { id, status, kind, isLive } = JSON.parse(again.stdout) as AddressedDeployment;
    assert.deepEqual([status, kind, isLive], ["ready", "upload", false]);
    assert.match((await octavo("publish", "made")).stderr, /Readers already see these files\./);
    const listed = await ok("deployments", "list", project.domain);
    assert.match(listed, new RegExp(`^${id} +ready +upload +- `, "m"));
    assert.match(listed, / live +upload +- /);
    const [, , , first] = JSON.parse(await ok("deployments", "list", project.id, "--json")) as AddressedDeployment[]; // prettier-ignore
    assert.equal(first?.commit, commit);
    assert.match(await ok("deployments", "publish", first?.id ?? ""), /^status: +ready, live$/m);
    assert.match(await ok("deployments", "show", first?.id ?? ""), new RegExp(`^commit: +${commit}$`, "m")); // prettier-ignore
    const kept = await octavo("publish", "made");
    assert.match(kept.stderr, /Readers still see another deployment\. Run "octavo deployments publish dp_\w+" to show this one\./); // prettier-ignore
  });

  it("publish nothing that is broken, missing or ambiguous", async () => {
    await writeFiles(join(cwd, "broken"), { "index.md": "# X\n\n[gone](/gone)\n" });
    const broken = await octavo("publish", "broken", "--fail-on", "error");
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /The site was not published because of --fail-on error; "node \S+octavo\.js check broken" lists its problems\./); // prettier-ignore
    const strict = await octavo("publish", "broken", "--strict");
    assert.match(strict.stderr, /The site was not published because of --strict; "node /);
    const missing = await octavo("publish", "missing", "--project", project.domain);
    assert.deepEqual([missing.code, missing.stderr.includes('The folder "missing" does not exist.')], [2, true]); // prettier-ignore
    assert.equal((await octavo("publish", "missing.example")).code, 1);
    const both = await octavo("publish", project.domain, "--ref", "x", "--project", project.domain);
    assert.equal(both.code, 2);
    await writeFiles(join(cwd, "linked"), { "index.html": "x" });
    await symlink("/etc/hostname", join(cwd, "linked/host"));
    const linked = await octavo("publish", "linked");
    assert.equal(linked.code, 2);
    assert.match(linked.stderr, /"host" is a link that points outside its folder/);
  });

  it("have the service publish a project, or preview another ref", async () => {
    const preview = await octavo("publish", project.domain, "--ref", "main");
    assert.equal(preview.code, 0, preview.stderr);
    assert.match(preview.stderr, /^ready 100%$/m);
    assert.match(preview.stdout, /^Published http:\/\/[0-9a-f]{12}--example\.localhost:\d+$/m);
    const gone = await octavo("publish", project.domain, "--ref", "gone");
    assert.equal(gone.code, 1);
    assert.match(gone.stdout, /^error: .*gone/m);
  });

  /** Asks the service for a path of a host, because Node resolves no name below `localhost`. */
  async function read(host: string, path: string): Promise<string> {
    const { port } = new URL(service.url);
    const signal = patience();
    for (;;) {
      const sent = request({ host: "127.0.0.1", port, path, headers: { host } }).end();
      const [response] = (await once(sent, "response")) as [IncomingMessage];
      const body = await text(response);
      if (path === "/.env" || response.statusCode === 200) return body;
      await sleep(50, undefined, { signal });
    }
  }

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

  it("forget a key, of several services only one that is named", async () => {
    const logins = join(cwd, "home/.config/octavo/logins.json");
    const [first] = JSON.parse(await readFile(logins, "utf8")) as { url: string; key: string }[];
    const other = { url: "http://127.0.0.1:9", key: "octavo_other" };
    await writeFile(logins, JSON.stringify([first, other]));
    const unclear = await octavo("logout");
    assert.equal(unclear.code, 2);
    assert.ok(unclear.stderr.includes(`name the address of one: ${service.url}, ${other.url}.`));
    await ok("logout", "--url", other.url);
    assert.match((await octavo("logout")).stderr, /^Logged out of http/);
    assert.match((await octavo("logout")).stderr, /You are not logged in to any service/);
    assert.equal((await octavo("exports", "list")).code, 2);
  });
});
