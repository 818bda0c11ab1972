import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fails } from "../../../../../test/support/fails.ts";
import { complaint, git as plainGit } from "../../../../../test/support/git-fixture.ts";
import {
  key,
  openServedHost,
  readingKey,
  useDatabase,
} from "../../../../../test/support/served-host.ts";
import { defaultQuotas, createId } from "../../core/index.ts";

const database = useDatabase();

describe("git over HTTP", () => {
  it("is cloned, fetched and pushed with a key, as a password or a bearer token", async (t) => {
    const { project, author, folder, server } = await openServedHost(t, { database: database() });
    const head = await author.git("rev-parse", "main");
    const plain = `http://127.0.0.1:${server.port}/git/${project.id}.git`;
    const bearer = `http.extraHeader=Authorization: Bearer ${readingKey}`;
    await plainGit(folder, "-c", bearer, "clone", "--quiet", plain, "by-bearer");
    assert.equal(await plainGit(join(folder, "by-bearer"), "rev-parse", "HEAD"), head);
    const reading = plain.replace("//", `//x:${readingKey}@`);
    await plainGit(folder, "clone", "--quiet", reading, "by-password");
    const clone = join(folder, "by-password");
    const pushing = complaint(plainGit(clone, "push", "origin", "HEAD:refs/heads/new"));
    assert.match(await pushing, /403/);
  });

  it("requires a key, and accepts no wrong one", async (t) => {
    const { project, folder, server } = await openServedHost(t, { database: database() });
    const base = `http://127.0.0.1:${server.port}`;
    const path = `/git/${project.id}.git/info/refs?service=git-upload-pack`;
    const wrong = [
      "",
      "Basic",
      "Bearer",
      "Bearer ",
      "Bearer octavo_wrong",
      `Bearer ${key} ${key}`,
      `Basic ${btoa(key)}`,
      `Basic ${btoa(`${key}:`)}`,
      `Basic ${btoa(`ada:${key}x`)}`,
      `Digest ${key}`,
      `Bearer ${key.repeat(100)}`,
    ];
    for (const authorization of wrong) {
      const response = await fetch(base + path, { headers: { authorization } });
      assert.equal(response.status, 401, authorization);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Basic realm="Octavo"/);
    }
    const service = "/git-receive-pack";
    const response = await fetch(`${base}/git/${project.id}.git${service}`, { method: "POST" });
    assert.equal(response.status, 401);
    const url = `http://127.0.0.1:${server.port}/git/${project.id}.git`;
    const cloning = complaint(
      plainGit(folder, "-c", "core.askPass=", "clone", "--quiet", url, "no"),
    );
    assert.match(await cloning, /could not read Username|Authentication/);
  });

  it("responds at no other path, however it is written", async (t) => {
    const { project, server, folder } = await openServedHost(t, { database: database() });
    const { id } = project;
    const other = createId("project");
    const paths = [
      `/git/${id}.git/HEAD`,
      `/git/${id}.git/config`,
      `/git/${id}.git/objects/info/packs`,
      `/git/${id}.git/info/refs`,
      `/git/${id}.git/info/refs?service=git-upload-archive`,
      `/git/${id}.git/info/refs?service=git-upload-pack&service=git-receive-pack`,
      `/git/${id}.git/info/refs?service=upload-pack`,
      `/git/${id}/info/refs?service=git-upload-pack`,
      `/git/${id}.git/../${id}.git/info/refs?service=git-upload-pack`,
      `/git/./${id}.git/info/refs?service=git-upload-pack`,
      `/git//${id}.git/info/refs?service=git-upload-pack`,
      `/git/..%2f${id}.git/info/refs?service=git-upload-pack`,
      `/git/${id}%2egit/info/refs?service=git-upload-pack`,
      `/git/${id}.git%00/info/refs?service=git-upload-pack`,
      `/git/${id}.git/info/refs?service=git-upload-pack#x`,
      `/git/${id.toUpperCase()}.git/info/refs?service=git-upload-pack`,
      `/git/../../etc/passwd`,
      `/git/${other}.git/info/refs?service=git-upload-pack`,
    ];
    // Sent without a client, because a client would normalize the address.
    for (const path of paths) {
      const socket = connect(server.port, "127.0.0.1");
      const authorization = `Authorization: Bearer ${key}`;
      socket.end(
        `GET ${path} HTTP/1.1\r\nHost: a\r\n${authorization}\r\nConnection: close\r\n\r\n`,
      );
      assert.match(await text(socket), /^HTTP\/1\.1 404 /, path);
    }
    const headers = { authorization: `Bearer ${key}` };
    const url = `http://127.0.0.1:${server.port}/git/${id}.git`;
    const wrong: [method: string, path: string][] = [
      ["POST", "/info/refs?service=git-upload-pack"],
      ["GET", "/git-upload-pack"],
      ["DELETE", "/git-receive-pack"],
      ["HEAD", "/info/refs?service=git-upload-pack"],
    ];
    for (const [method, path] of wrong) {
      assert.equal((await fetch(url + path, { method, headers })).status, 404, method + path);
    }
    assert.deepEqual(await readdir(join(folder, "repositories")), [`${id}.git`]);
  });

  it("protects its base branch, and refuses pushes that are too large", async (t) => {
    const { author, hosting, project } = await openServedHost(t, {
      database: database(),
      limits: { receiveBytes: 300_000 },
    });
    const before = await author.git("rev-parse", "main");
    await author.commit({ "b.mdx": "2\n" });
    await author.git("push", "--quiet", "origin", "main");
    const forced = complaint(author.git("push", "--force", "origin", `${before}:main`));
    assert.match(await forced, /non-fast-forward/);
    assert.match(await complaint(author.git("push", "origin", ":main")), /may not be removed/);
    const main = await author.git("rev-parse", "main");
    await author.commit({ "big.bin": randomBytes(1_000_000).toString("latin1") });
    assert.match(await complaint(author.git("push", "origin", "main")), /maximum allowed size/);
    const { path } = hosting.getRepository(project.id);
    assert.equal(await plainGit(path, "rev-parse", "main"), main);
  });

  it("receives no more of a push than the plan allows the repository", async (t) => {
    const enterprise = { ...defaultQuotas.enterprise, repositoryMb: 0.3 };
    const { author, folder } = await openServedHost(t, {
      database: database(),
      quotas: { ...defaultQuotas, enterprise },
    });
    await author.commit({ "big.bin": randomBytes(3_000_000).toString("latin1") });
    const said = await complaint(author.git("push", "origin", "main"));
    assert.match(said, /main \(the repository would be too large; the enterprise plan allows 1 MB/);
    assert.match(said, /maximum allowed size \(29\d\.\d+ KiB\)/);
    const stored = await readdir(join(folder, "storage"), { recursive: true });
    assert.equal(stored.filter((name) => name.endsWith(".pack")).length, 1);
    await author.git("reset", "--quiet", "--hard", "HEAD~1");
    await author.commit({ "small.mdx": "small\n" });
    await author.git("push", "--quiet", "origin", "main");
  });

  it("stores no key in the repository, and is deleted with its project", async (t) => {
    const { hosting, project } = await openServedHost(t, { database: database() });
    const { path } = hosting.getRepository(project.id);
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const content = await readFile(join(entry.parentPath, entry.name), "latin1");
      assert.ok(!content.includes("hunter2"), entry.name);
    }
    await hosting.remove(project.id);
    await hosting.remove(project.id);
    await assert.rejects(stat(path));
    for (const id of ["", "..", "pr_x", `${project.id}/..`]) {
      assert.throws(() => hosting.getRepository(id), fails("not_found", /no such repository/));
    }
  });
});
