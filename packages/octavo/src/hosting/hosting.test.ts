import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { TestContext } from "node:test";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../core/index.ts";
import {
  complaint,
  git as plainGit,
  openAuthor,
  folderFor,
} from "../../../../test/support/git-fixture.ts";
import { readOperations } from "../../../../test/power/operation.ts";
import { startRecording } from "../../../../test/power/record.ts";
import {
  addHostedProject,
  openHostedRepositories,
} from "../../../../test/support/hosted-repositories.ts";
import type { HostedRepositories } from "../../../../test/support/hosted-repositories.ts";
import { createGitWork } from "../git/index.ts";
import { createHosting } from "./hosting.ts";
import type { Hosting } from "./hosting.ts";
import type { AuthorizeGit } from "./http/smart-http.ts";
import type { HostingLimits } from "./tools.ts";

interface SetUpOptions {
  readonly limits?: Partial<HostingLimits>;
  /** The project's repository address. Defaults to `local`. */
  readonly address?: string;
}

let storage: HostedRepositories;
before(async () => {
  storage = await openHostedRepositories();
});
after(() => storage[Symbol.asyncDispose]());

const statuses: Readonly<Record<string, number>> = {
  invalid_input: 400,
  too_large: 413,
};

const runFile = promisify(execFile);

/** Sets up a hosted repository behind a real server that accepts every client, and an author who works with it. */
async function setUp(t: TestContext, options: SetUpOptions = {}) {
  const { limits = {}, address = "local" } = options;
  const folder = await folderFor(t);
  const allow = parseAllowList(`file://${folder}`);
  const open = (cacheDir: string): Hosting =>
    createHosting({
      db: storage.database.kysely,
      packs: storage.packs,
      git: { cacheDir, allow },
      limits,
      repositoriesDir: join(folder, "hosted"),
    });
  const hosting = open(join(folder, "cache"));
  const project = { id: await addHostedProject(storage.database), repository: "local" };
  const repository = await hosting.prepare(project);
  const served: string[][] = [];
  const letIn: AuthorizeGit = (_, id) =>
    Promise.resolve({
      project: { id, repository: address },
      ref: null,
      requireWrite: () => undefined,
      describeMovedRefs: (refs) => Promise.resolve([`Moved ${refs.join(" and ")}`]),
      onPushed: async (refs) => void served.push([...refs]),
    });
  const server = createServer((request, response) => {
    request.headers.authorization = "Bearer key";
    hosting.serve({ request, response }, letIn).catch((error: unknown) => {
      const status = isOctavoError(error) ? statuses[error.code] : undefined;
      if (!response.headersSent) response.writeHead(status ?? 500, { connection: "close" });
      response.end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/git/${project.id}.git`;
  const author = await openAuthor(join(folder, "author"));
  await author.git("remote", "add", "origin", url);
  return { folder, open, hosting, project, repository, url, author, served, allow };
}

async function refsOf(path: string): Promise<string[]> {
  const list = await plainGit(path, "for-each-ref", "--format=%(refname)=%(objectname)");
  return list === "" ? [] : list.split("\n");
}

describe("a hosted repository over HTTP", () => {
  it("can be cloned empty, pushed to, cloned again and fetched shallow", async (t) => {
    const { url, author, repository, folder, served } = await setUp(t);
    await plainGit(folder, "clone", "--quiet", url, "empty");
    const first = await author.commit({ "index.mdx": "one\n", "big.bin": randomBytes(3_000_000) });
    await author.git("tag", "v1");
    await author.git("push", "--quiet", "origin", "main", "v1");
    const second = await author.commit({ "index.mdx": "two\n" });
    await author.git("push", "--quiet", "origin", "main", "main:feature");
    assert.deepEqual(await refsOf(repository.path), [
      `refs/heads/feature=${second}`,
      `refs/heads/main=${second}`,
      `refs/tags/v1=${first}`,
    ]);
    await plainGit(folder, "clone", "--quiet", "--branch=feature", url, "full");
    assert.equal(await plainGit(join(folder, "full"), "rev-parse", "HEAD"), second);
    await plainGit(folder, "clone", "--quiet", "--depth=1", "--filter=blob:none", url, "shallow");
    assert.equal(await plainGit(join(folder, "shallow"), "rev-list", "--count", "HEAD"), "1");
    assert.deepEqual(served.flat(), [
      "refs/heads/main",
      "refs/tags/v1",
      "refs/heads/main",
      "refs/heads/feature",
    ]);
  });

  it("tells the person who pushed about the refs that have moved, and no others", async (t) => {
    const { author } = await setUp(t);
    const push = async (...args: string[]) =>
      (await runFile("git", ["push", ...args], { cwd: author.folder })).stderr;
    const first = await author.commit({ "index.mdx": "one\n" });
    await author.commit({ "index.mdx": "two\n" });
    const moved = await push("origin", "main", "main:feature");
    assert.match(moved, /^remote: Moved refs\/heads\/main and refs\/heads\/feature *$/m);
    assert.doesNotMatch(await push("origin", "main"), /remote:/);
    const refused = complaint(push("--force", "origin", `${first}:main`));
    assert.match(await refused, /^(?![^]*remote: Moved)[^]*non-fast-forward/);
  });

  it("protects its base branch from force pushes and deletion, and lets others be rewritten", async (t) => {
    const { author, repository } = await setUp(t);
    const first = await author.commit({ "index.mdx": "one\n" });
    const second = await author.commit({ "index.mdx": "two\n" });
    await author.git("push", "--quiet", "origin", "main", "main:feature");
    const forced = complaint(author.git("push", "--force", "origin", `${first}:main`));
    assert.match(await forced, /\[remote rejected\].*non-fast-forward/);
    const removed = complaint(author.git("push", "origin", ":main"));
    assert.match(await removed, /\[remote rejected\] main \(this branch may not be removed\)/);
    // One rejected ref causes all refs of the same push to be rejected.
    const both = complaint(author.git("push", "origin", ":main", `${first}:refs/heads/new`));
    assert.match(await both, /nothing was changed/);
    await author.git("push", "--quiet", "--force", "origin", `${first}:feature`);
    assert.deepEqual(await refsOf(repository.path), [
      `refs/heads/feature=${first}`,
      `refs/heads/main=${second}`,
    ]);
    await author.git("push", "--quiet", "origin", ":feature");
    assert.deepEqual(await refsOf(repository.path), [`refs/heads/main=${second}`]);
  });

  it("accepts only branches and tags, and checks whose branches they are", async (t) => {
    const { author, repository } = await setUp(t, { address: "https://git.example/docs.git" });
    const commit = await author.commit({ "index.mdx": "one\n" });
    for (const ref of ["refs/pull/1/head", "refs/octavo/head", "refs/notes/a", "refs/replace/a"]) {
      const said = await complaint(author.git("push", "origin", `${commit}:${ref}`));
      assert.match(said, /remote rejected.*only branches and tags/, ref);
    }
    const said = await complaint(author.git("push", "origin", `${commit}:refs/heads/a`));
    assert.match(said, /this is a copy/);
    assert.deepEqual(await refsOf(repository.path), []);
  });

  it("runs no hook, whoever installed it", async (t) => {
    const { author, repository, folder } = await setUp(t);
    const hooks = join(repository.path, "hooks");
    await mkdir(hooks, { recursive: true });
    for (const hook of ["pre-receive", "update", "post-receive", "post-update", "proc-receive"]) {
      const script = `#!/bin/sh\ntouch '${folder}/mark'\nexit 1\n`;
      await writeFile(join(hooks, hook), script, { mode: 0o755 });
    }
    await author.commit({ "index.mdx": "one\n" });
    await author.git("push", "--quiet", "origin", "main");
    await assert.rejects(stat(join(folder, "mark")));
  });

  it("refuses a push that is too large, and stores nothing of it", async (t) => {
    const { author, repository } = await setUp(t, { limits: { receiveBytes: 500_000 } });
    await author.commit({ "index.mdx": "one\n" });
    await author.git("push", "--quiet", "origin", "main");
    const before = await refsOf(repository.path);
    await author.commit({ "big.bin": randomBytes(2_000_000) });
    assert.match(await complaint(author.git("push", "origin", "main")), /maximum allowed size/);
    await author.commit({ "big.bin": randomBytes(20_000_000) });
    assert.match(await complaint(author.git("push", "origin", "main")), /maximum allowed size/);
    assert.deepEqual(await refsOf(repository.path), before);
    const objects = await readdir(join(repository.path, "objects"));
    assert.deepEqual(
      objects.filter((name) => name.startsWith("tmp_objdir")),
      [],
    );
  });

  it("refuses objects that would write into Git's own folder", async (t) => {
    const { author, repository } = await setUp(t);
    await author.commit({ "index.mdx": "one\n" });
    const blob = await author.git("hash-object", "-w", "index.mdx");
    const bytes = Buffer.concat([Buffer.from("100644 .git\0"), Buffer.from(blob, "hex")]);
    await writeFile(join(author.folder, "..", "tree"), bytes);
    const tree = await author.git("hash-object", "-w", "-t", "tree", "--literally", "../tree");
    const commit = await author.git("commit-tree", tree, "-m", "Hostile");
    const said = await complaint(author.git("push", "origin", `${commit}:refs/heads/main`));
    assert.match(said, /hasDotgit|\.git/);
    assert.deepEqual(await refsOf(repository.path), []);
  });
});

const zero = "0".repeat(40);
const one = "1".repeat(40);

function line(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, "0") + text;
}

function pushBody(ref: string, capabilities = "report-status"): string {
  return `${line(`${zero} ${one} ${ref}\0${capabilities}`)}0000`;
}

async function post(url: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const type = { "content-type": "application/x-git-receive-pack-request" };
  const init = { method: "POST", body, headers: { ...type, ...headers } };
  const response = await fetch(`${url}/git-receive-pack`, init);
  return { status: response.status, text: await response.text() };
}

describe("a request that git never sends", () => {
  const names =
    "refs/heads/../main|refs/heads/a..b|refs/heads/-a|refs/heads/a b|refs/heads/a\u0001|refs/heads/a.lock|refs/heads/HEAD|refs/heads/@{1}|refs/heads//a|refs/heads/a/|refs/heads/\uFFFD|refs/heads/.a|HEAD|refs/heads|../../etc|refs/headsmain";
  it("is refused if it names invalid refs", async (t) => {
    const { url, repository } = await setUp(t);
    for (const ref of names.split("|")) {
      const { status, text } = await post(url, pushBody(ref));
      assert.equal(status, 200, ref);
      assert.match(
        text,
        /^000eunpack ok\n[0-9a-f]{4}ng .* (?:not a valid name|only branches)/s,
        ref,
      );
    }
    assert.deepEqual(await refsOf(repository.path), []);
  });

  it("is refused if its commands do not end", async (t) => {
    const { url } = await setUp(t);
    // A gigabyte of such lines compresses to a megabyte, but the number of bytes read is still limited.
    const shallow = Buffer.from(line(`shallow ${"1".repeat(40)}`).repeat(200_000));
    const gzip = { "content-encoding": "gzip" };
    assert.equal((await post(url, gzipSync(shallow), gzip)).status, 413);
  });

  it("is refused if it is not a push", async (t) => {
    const { url } = await setUp(t);
    const wrong: [name: string, body: string | Buffer, headers?: Record<string, string>][] = [
      ["nothing", ""],
      ["half a line", "00"],
      ["a length of three", "0003"],
      ["a length beyond the protocol", `fff5${"a".repeat(65_600)}`],
      ["no digits", "zzzz"],
      ["a line cut off", "0100abc"],
      ["no command", line("hello")],
      ["a signed push", `${line("push-cert\0report-status")}0000`],
      ["a commit that is none", line(`${zero} xyz refs/heads/a\0`)],
      ["another content type", pushBody("refs/heads/a"), { "content-type": "text/plain" }],
      ["another encoding", pushBody("refs/heads/a"), { "content-encoding": "br" }],
      ["damaged compression", "not gzip", { "content-encoding": "gzip" }],
    ];
    for (const [name, body, headers] of wrong) {
      assert.equal((await post(url, body, headers)).status, 400, name);
    }
  });

  it("may be compressed, and is limited by its decompressed size", async (t) => {
    const { url } = await setUp(t, { limits: { receiveBytes: 1_000 } });
    const gzip = { "content-encoding": "gzip" };
    const { status, text } = await post(url, gzipSync(pushBody("refs/notes/a")), gzip);
    assert.equal(status, 200);
    assert.match(text, /only branches/);
    const bomb = gzipSync(
      Buffer.concat([Buffer.from(pushBody("refs/notes/a")), Buffer.alloc(30e6)]),
    );
    assert.ok(bomb.length < 100_000);
    assert.equal((await post(url, bomb, gzip)).status, 413);
  });

  it("is refused if it names too many refs", async (t) => {
    const { url } = await setUp(t);
    const first = line(`${zero} ${one} refs/heads/first\0report-status`);
    const many = Array.from({ length: 20_001 }, (_, at) =>
      line(`${zero} ${one} refs/heads/b${at}`),
    );
    assert.equal((await post(url, `${first}${many.join("")}0000`)).status, 413);
  });

  it("is answered if it asks for no object", async (t) => {
    const { url } = await setUp(t);
    const response = await fetch(`${url}/git-upload-pack`, {
      method: "POST",
      body: "0000",
      headers: { "content-type": "application/x-git-upload-pack-request" },
    });
    await response.arrayBuffer();
    assert.ok(response.status < 500);
  });
});

describe("a merge", () => {
  const person = { name: "Ada", email: "ada@example.com" };
  const at = new Date("2026-03-04T05:06:07Z");

  async function branches(t: TestContext) {
    const setup = await setUp(t);
    const { author } = setup;
    const start = await author.commit({ "a.mdx": "a\n", "b.mdx": "b\n" });
    await author.git("checkout", "--quiet", "-b", "feature");
    const feature = await author.commit({ "b.mdx": "changed\n" });
    await author.git("push", "--quiet", "origin", "main", "feature");
    const work = createGitWork({ cacheDir: join(setup.folder, "work"), allow: setup.allow });
    const merge = async (baseCommit: string, headCommit: string) => {
      const to = await work.createMerge(setup.repository, {
        base: "main",
        baseCommit,
        headCommit,
        author: person,
        message: "Merge feature",
        at,
      });
      const merge = { branch: "main", commit: to, expected: baseCommit };
      await setup.hosting.publishMerge(setup.project, merge);
      return to;
    };
    const advance = async (files: Record<string, string>) => {
      await author.git("checkout", "--quiet", "main");
      const commit = await author.commit(files);
      await author.git("push", "--quiet", "origin", "main");
      return commit;
    };
    return { ...setup, start, feature, merge, advance, work };
  }

  it("fast-forwards if possible, and is done once", async (t) => {
    const { merge, start, feature, repository } = await branches(t);
    assert.equal(await merge(start, feature), feature);
    assert.equal(await plainGit(repository.path, "rev-parse", "main"), feature);
    assert.equal(await merge(feature, feature), feature);
    assert.equal(await merge(feature, start), feature);
  });

  it("joins both sides, and refuses a base that has moved", async (t) => {
    const { merge, start, feature, repository, advance } = await branches(t);
    const base = await advance({ "a.mdx": "other\n" });
    await assert.rejects(merge(start, feature), isConflict);
    const merged = await merge(base, feature);
    const shown = await plainGit(repository.path, "log", "-1", "--format=%P|%an|%s", merged);
    assert.equal(shown, `${base} ${feature}|Ada|Merge feature`);
    assert.equal(await plainGit(repository.path, "show", "main:b.mdx"), "changed");
  });

  it("names the files that conflict, and changes nothing", async (t) => {
    const { merge, feature, repository, advance, work } = await branches(t);
    const base = await advance({ "b.mdx": "otherwise\n" });
    await assert.rejects(merge(base, feature), (error) => {
      assert.ok(isOctavoError(error, "conflict"));
      assert.match(error.message, /"b.mdx"/);
      assert.deepEqual(error.details["conflicts"], ["b.mdx"]);
      return true;
    });
    const commits = { baseCommit: base, headCommit: feature };
    assert.deepEqual(await work.previewMerge(repository, commits), { conflicts: ["b.mdx"] });
    assert.equal(await plainGit(repository.path, "rev-parse", "main"), base);
  });
});

describe("a copy of an external repository", () => {
  it("follows its branches and tags, and keeps the service's own below octavo/", async (t) => {
    const { hosting, project, repository, folder, author } = await setUp(t);
    const outside = await openAuthor(join(folder, "outside"));
    const first = await outside.commit({ "index.mdx": "one\n" });
    await outside.git("branch", "-m", "trunk");
    await outside.git("branch", "gone");
    await outside.git("branch", "octavo/foreign");
    const source = { ...project, repository: `file://${outside.folder}` };
    await hosting.prepare(source);
    assert.deepEqual(await refsOf(repository.path), [
      `refs/heads/gone=${first}`,
      `refs/heads/trunk=${first}`,
    ]);
    assert.equal(await plainGit(repository.path, "symbolic-ref", "HEAD"), "refs/heads/trunk");

    await author.git("fetch", "--quiet", "origin");
    await author.git("push", "--quiet", "origin", `${first}:refs/heads/octavo/agent-1`);
    await outside.git("branch", "-D", "gone");
    const second = await outside.commit({ "index.mdx": "two\n" });
    await hosting.prepare(source);
    assert.deepEqual(await refsOf(repository.path), [
      `refs/heads/octavo/agent-1=${first}`,
      `refs/heads/trunk=${second}`,
    ]);
    await hosting.remove(project.id);
    await hosting.remove(project.id);
    await assert.rejects(stat(repository.path));
  });
});

function isConflict(error: unknown): boolean {
  return isOctavoError(error, "conflict");
}

describe("a repository that several callers request at once", () => {
  it("is created once, and updated by one caller after the other", async (t) => {
    const { folder, author, hosting, open } = await setUp(t);
    const commit = await author.commit({ "index.mdx": "one\n" });
    const other = open(join(folder, "other-cache"));
    const project = { id: await addHostedProject(storage.database), repository: "local" };
    const { path } = hosting.getRepository(project.id);
    const hostings = [hosting, other, hosting, other];
    await Promise.all(hostings.map((one) => one.prepare(project)));
    const source = { ...project, repository: `file://${author.folder}` };
    await Promise.all(hostings.map((one) => one.prepare(source)));
    assert.deepEqual(await refsOf(path), [`refs/heads/main=${commit}`]);
    const copies = await readdir(join(folder, "hosted"));
    assert.deepEqual(
      copies.filter((name) => name.startsWith(project.id)),
      [`${project.id}.git`],
    );
  });
});

describe("a ref of a hosted repository", () => {
  it("moves only from its expected commit, and only if it is of a branch, tag or pull request", async (t) => {
    const { hosting, repository, author } = await setUp(t);
    const one = await author.commit({ a: "1" });
    const two = await author.commit({ a: "2" });
    await author.git("push", "--quiet", "origin", "main");
    const name = "refs/pull/1/head";
    await hosting.updateRef(repository, { name, to: one, expected: null });
    await assert.rejects(
      hosting.updateRef(repository, { name, to: two, expected: null }),
      isConflict,
    );
    await assert.rejects(
      hosting.updateRef(repository, { name, to: one, expected: two }),
      isConflict,
    );
    await hosting.updateRef(repository, { name, to: two, expected: one });
    const refs = await hosting.readRefs(repository, ["refs/pull/1", "refs/heads/main", "refs/x"]);
    assert.deepEqual(Object.fromEntries(refs), { [name]: two, "refs/heads/main": two });
    await hosting.updateRef(repository, { name, to: null });
    for (const wrong of ["HEAD", "refs/octavo/head", "refs/heads/../a", "--help"]) {
      await assert.rejects(hosting.updateRef(repository, { name: wrong, to: one }), (error) =>
        isOctavoError(error, "invalid_input"),
      );
    }
  });

  it("is refused a name that is part of another", async (t) => {
    const { hosting, repository, author } = await setUp(t);
    const to = await author.commit({ a: "1" });
    await author.git("push", "--quiet", "origin", "main:refs/heads/a/b");
    for (const name of ["refs/heads/a", "refs/heads/a/b/c"]) {
      await assert.rejects(hosting.updateRef(repository, { name, to }), isConflict);
    }
    await hosting.updateRef(repository, { name: "refs/heads/a/b-c", to });
    assert.deepEqual(await refsOf(repository.path), [
      `refs/heads/a/b=${to}`,
      `refs/heads/a/b-c=${to}`,
    ]);
  });
});

describe("what is acknowledged of a hosted repository", () => {
  it("is on the disk of the storage, however small", async (t) => {
    const { author, folder } = await setUp(t);
    await author.commit({ "index.mdx": "one\n" });
    const log = join(folder, "log");
    {
      using _ = startRecording({ root: storage.storage, log });
      await author.git("push", "--quiet", "origin", "main");
    }
    const opened = new Map<number, string>();
    const flushed = new Set<string | undefined>();
    for (const operation of readOperations(log)) {
      if (operation.kind === "open") opened.set(operation.handle, operation.path);
      if (operation.kind === "sync") flushed.add(opened.get(operation.handle));
    }
    const [folders] = [[...flushed].filter((path) => path?.startsWith("repositories/pr_"))];
    assert.equal(folders.length, 1, [...flushed].join(" "));
  });
});
