import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, it } from "node:test";
import type { TestContext } from "node:test";
import { putEmptyDatabase } from "../../../../../test/support/empty-database.ts";
import { fails } from "../../../../../test/support/fails.ts";
import {
  complaint,
  git as plainGit,
  openAuthor,
  folderFor,
} from "../../../../../test/support/git-fixture.ts";
import { addHostedProject } from "../../../../../test/support/hosted-repositories.ts";
import { launcher } from "../../../../../test/support/launcher.ts";
import {
  describeOn,
  startTestedPostgres,
  testedEngine,
} from "../../../../../test/support/tested-engine.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { defaultQuotas, newId, parseAllowList } from "../../core/index.ts";
import type { Quotas } from "../../core/index.ts";
import { openDatabase } from "../../db/index.ts";
import type { Database } from "../../db/index.ts";
import type { GitLimits, MeasuredChange } from "../../git/index.ts";
import { createGit, createGitHosting, createGitWork } from "../../git/index.ts";
import { codeHostContract } from "../code-host.contract.ts";
import { createFileStorage } from "../../storage/index.ts";
import { createLocalCodeHost } from "./local-code-host.ts";
import type { GitAccess } from "./smart-http.ts";
import type { LocalCodeHost } from "./local-code-host.ts";

const key = "octavo_hunter2notarealkey";
const readingKey = "octavo_hunter2reading";
const branch = "octavo/agent-1";
const person = { name: "Ada", email: "ada@example.com" };

const databases = new AsyncDisposableStack();
let opened: Database | undefined;
before(async () => {
  const folder = databases.use(await temporaryFolder());
  const postgres = await startTestedPostgres();
  if (postgres) databases.use(postgres);
  const url = await postgres?.createDatabase();
  const dataDir = join(folder.path, "data");
  if (url === undefined) await putEmptyDatabase(dataDir);
  opened = databases.use(await openDatabase({ dataDir, url }));
});
after(() => databases.disposeAsync());

function database(): Database {
  assert.ok(opened);
  return opened;
}

interface SetUpOptions {
  readonly limits?: Partial<GitLimits>;
  readonly quotas?: Quotas;
  /** What the project's own repository is; `local` when absent. */
  readonly isCopy?: boolean;
}

const statuses: Readonly<Record<string, number>> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unavailable: 503,
};

/** A project on the embedded host behind a real server, and an author with a clone of it. */
async function setUp(t: TestContext, options: SetUpOptions = {}) {
  const folder = await folderFor(t);
  const db = database();
  const outside = await openAuthor(join(folder, "outside"));
  await outside.commit({ "index.mdx": "one\n" });
  const repository = options.isCopy ? `file://${outside.folder}` : "local";
  const project = { id: await addHostedProject(db, repository), repository };
  const gitOptions = {
    processes: launcher,
    cacheDir: join(folder, "cache"),
    allow: parseAllowList(`file://${folder}`),
    limits: options.limits ?? {},
  };
  const hosting = createGitHosting(gitOptions);
  const open = (): LocalCodeHost =>
    createLocalCodeHost({
      db: db.kysely,
      hosting,
      work: createGitWork(gitOptions),
      packs: createFileStorage(join(folder, "storage")),
      quotas: options.quotas,
      repositoriesDir: join(folder, "repositories"),
      pullRequestUrl: (id, number) => `https://octavo.example/projects/${id}/pulls/${number}`,
      author: { name: "Octavo", email: "octavo@example.com" },
    });
  const host = open();
  const server = await serve(t, host, project);
  const author = await openAuthor(join(folder, "author"));
  const url = `http://ada:${key}@127.0.0.1:${server.port}/git/${project.id}.git`;
  await author.git("remote", "add", "origin", url);
  const setup = { folder, host, open, project, author, outside, hosting, server, gitOptions };
  if (options.isCopy) return setup;
  await author.commit({ "index.mdx": "one\n", "b.mdx": "b\n" });
  await author.git("push", "--quiet", "origin", "main");
  return setup;
}

async function serve(t: TestContext, host: LocalCodeHost, project: GitAccess["project"]) {
  const authorize = async (given: string, projectId: string): Promise<GitAccess> => {
    if (given !== key && given !== readingKey)
      throw new OctavoError("unauthorized", "Unknown key.");
    if (projectId !== project.id) throw new OctavoError("not_found", "No such project.");
    return { project, ref: null, canWrite: given === key };
  };
  const errors: OctavoError[] = [];
  const server = createServer((request, response) => {
    host.serve({ request, response }, authorize).catch((error: unknown) => {
      if (isOctavoError(error)) errors.push(error);
      const status = isOctavoError(error) ? statuses[error.code] : undefined;
      const challenge = isOctavoError(error) ? error.details["authenticate"] : undefined;
      if (typeof challenge === "string") response.setHeader("www-authenticate", challenge);
      if (response.headersSent) response.destroy();
      else response.writeHead(status ?? 500, { connection: "close" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
    assert.ok(!errors.some(({ message }) => message.includes("hunter2")));
  });
  return { port: (server.address() as AddressInfo).port };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

/** Commits on a new branch off `main` and pushes it. */
async function pushBranch({ author }: SetUp, name: string, files: Record<string, string>) {
  await author.git("checkout", "--quiet", "-B", "work", "main");
  const commit = await author.commit(files);
  await author.git("push", "--quiet", "origin", `work:refs/heads/${name}`);
  await author.git("checkout", "--quiet", "main");
  return commit;
}

const wanted = { title: "Mend links", body: "Two.", head: branch, base: "main" };

codeHostContract(`The embedded host on ${testedEngine}`, async (t) => {
  const setup = await setUp(t);
  const { host, open, project, author } = setup;
  let count = 0;
  return {
    host,
    other: open(),
    project,
    addBranch: async (name, { isEmpty = false } = {}) => {
      if (isEmpty) await author.git("push", "--quiet", "origin", `main:refs/heads/${name}`);
      else await pushBranch(setup, name, { [`file-${count++}.mdx`]: name });
    },
    end: async (number, state) => {
      if (state === "merged") await host.merge(project, number, person);
      else await host.close(project, number);
    },
    comments: async (number) =>
      (await host.listComments(project.id, number, 100)).map(({ body }) => body),
    extras: () => Promise.resolve({ labels: [], reviewers: [] }),
  };
});

function measureOf({ kind, path, added, removed }: MeasuredChange): string {
  return `${kind} ${path} +${added} -${removed}`;
}

function nameOf({ kind, path }: MeasuredChange): string {
  return `${kind} ${path}`;
}

describeOn("pglite", "a pull request on the embedded host", () => {
  it("shows its commits, files and difference, and whether it can be merged", async (t) => {
    const setup = await setUp(t);
    const { host, project, author } = setup;
    const base = await author.git("rev-parse", "main");
    const head = await pushBranch(setup, branch, { "index.mdx": "two\n", "new.mdx": "new\n" });
    await host.create(project, wanted);
    const page = await host.describe(project, 1);
    const { headCommit, baseCommit, mergeability } = page;
    assert.deepEqual([headCommit, baseCommit, page.author], [head, base, "Octavo"]);
    assert.deepEqual(mergeability, { canMerge: true });
    assert.deepEqual(
      page.commits.map(({ commit, subject }) => [commit, subject]),
      [[head, "Change"]],
    );
    assert.deepEqual(page.files.map(measureOf), [
      "modified index.mdx +1 -1",
      "added new.mdx +1 -0",
    ]);
    const { object = "" } = page.files[1] ?? {};
    assert.equal(await author.git("cat-file", "blob", object), "new");
    const diff = await host.diff(project.id, { ...page, paths: [] });
    assert.match(diff ?? "", /^-one\n\+two$[^]*^\+new$/m);
    const part = await host.diff(project.id, { ...page, paths: ["index.mdx"] });
    assert.match(part ?? "", /^-one\n\+two$/m);
    assert.doesNotMatch(part ?? "", /new/);
    const file = { commit: head, path: "new.mdx", maxBytes: 100 };
    assert.equal(await host.readFile(project.id, file), "new\n");
    assert.equal(await host.readFile(project.id, { ...file, maxBytes: 2 }), undefined);

    await author.commit({ "index.mdx": "otherwise\n" });
    await author.git("push", "--quiet", "origin", "main");
    const later = await host.describe(project, 1);
    assert.deepEqual(later.mergeability, {
      canMerge: false,
      reason: "Both sides changed the same lines.",
      conflicts: ["index.mdx"],
    });
    assert.equal(await host.diff(project.id, { ...later, paths: [] }), diff);
    await assert.rejects(host.merge(project, 1, person), fails("conflict", /"index.mdx"/));
    assert.equal((await host.get(project, 1)).state, "open");
  });

  it("says which files it changes even if it is too large to show", async (t) => {
    const setup = await setUp(t);
    await pushBranch(setup, branch, { "big.mdx": randomBytes(700_000).toString("hex") });
    await setup.host.create(setup.project, wanted);
    const page = await setup.host.describe(setup.project, 1);
    assert.equal(await setup.host.diff(setup.project.id, { ...page, paths: [] }), undefined);
    assert.deepEqual(page.files.map(nameOf), ["added big.mdx"]);
  });

  it("is merged by a merge commit in a person's name, once, and stays so", async (t) => {
    const setup = await setUp(t);
    const { host, project, author } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, wanted);
    await author.commit({ "b.mdx": "other\n" });
    await author.git("push", "--quiet", "origin", "main");
    assert.equal((await host.merge(project, 1, person)).state, "merged");
    const { path } = host.repositoryOf(project.id);
    const shown = await plainGit(path, "log", "-1", "--format=%an|%s|%b", "main");
    assert.equal(shown, `Ada|Merge pull request #1 from ${branch}|Mend links`);
    const main = await plainGit(path, "rev-parse", "main");
    assert.equal((await host.merge(project, 1, person)).state, "merged");
    assert.equal(await plainGit(path, "rev-parse", "main"), main);
    await assert.rejects(host.close(project, 1), fails("conflict", /was merged/));
    // Its branch may go; what it was about stays.
    await author.git("push", "--quiet", "origin", `:${branch}`);
    const page = await host.describe(project, 1);
    assert.equal(page.pullRequest.state, "merged");
    assert.deepEqual(page.files.map(nameOf), ["modified index.mdx"]);
  });

  it("follows what people do with git alone", async (t) => {
    const setup = await setUp(t);
    const { host, project, author } = setup;
    const one = await pushBranch(setup, "octavo/one", { "one.mdx": "1\n" });
    await pushBranch(setup, "octavo/two", { "two.mdx": "2\n" });
    await pushBranch(setup, "octavo/three", { "three.mdx": "3\n" });
    for (const head of ["octavo/one", "octavo/two", "octavo/three"]) {
      await host.create(project, { ...wanted, head });
    }
    await author.git("merge", "--quiet", "--ff-only", one);
    await author.git("push", "--quiet", "origin", "main", ":octavo/one", ":octavo/two");
    const states = async () =>
      (await host.list(project.id, { limit: 10 })).map(({ number, state }) => [number, state]);
    // The list is right soon after the push, without anybody reading each. They end one after the other.
    while ((await states()).filter(([, state]) => state === "open").length > 1) await sleep(20);
    assert.deepEqual(await states(), [
      [3, "open"],
      [2, "closed"],
      [1, "merged"],
    ]);
    assert.deepEqual((await host.describe(project, 2)).files.map(nameOf), ["added two.mdx"]);
    assert.deepEqual(
      (await host.list(project.id, { state: "closed", before: 3, limit: 1 })).map((p) => p.number),
      [2],
    );

    // New commits on the branch are part of it; a branch that is reset to its base is not merged.
    await author.git("checkout", "--quiet", "work");
    const more = await author.commit({ "more.mdx": "more\n" });
    await author.git("push", "--quiet", "origin", "work:octavo/three");
    assert.equal((await host.describe(project, 3)).headCommit, more);
    await author.git("push", "--quiet", "--force", "origin", "main:octavo/three");
    assert.equal((await host.get(project, 3)).state, "open");
    assert.equal((await host.describe(project, 3)).headCommit, more);
  });

  it("is completed by the next reader if the service died while merging", async (t) => {
    const setup = await setUp(t);
    const { host, project, hosting } = setup;
    const head = await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, wanted);
    // Merged, and died before it was written down.
    const repository = host.repositoryOf(project.id);
    await hosting.updateRef(repository, { name: "refs/heads/main", to: head });
    // Made, and died before its commits were kept.
    await hosting.updateRef(repository, { name: "refs/pull/1/head", to: null });
    assert.equal((await host.merge(project, 1, person)).state, "merged");
  });

  it("keeps drafts from being merged until they are ready, and comments by their authors", async (t) => {
    const setup = await setUp(t);
    const { host, project } = setup;
    await pushBranch(setup, branch, { "index.mdx": "two\n" });
    await host.create(project, { ...wanted, isDraft: true });
    await assert.rejects(host.merge(project, 1, person), fails("conflict", /is a draft/));
    for (const _ of [1, 2]) assert.equal((await host.markReady(project, 1)).isDraft, false);
    await host.addComment(project.id, 1, { author: "Ada", body: "Looks good" });
    await host.comment(project, 1, { body: "Thanks" });
    const comments = await host.listComments(project.id, 1, 10);
    assert.deepEqual(
      comments.map(({ author, body }) => [author, body]),
      [
        ["Ada", "Looks good"],
        ["Octavo", "Thanks"],
      ],
    );
    assert.equal((await host.merge(project, 1, person)).state, "merged");
    await assert.rejects(host.markReady(project, 1), fails("conflict", /was merged/));
  });
});

describeOn("pglite", "the work of a job", () => {
  for (const isCopy of [false, true]) {
    it(`becomes one pull request, and a second commit is part of it (${isCopy ? "copy" : "kept here"})`, async (t) => {
      const { host, project, folder, gitOptions } = await setUp(t, { isCopy });
      const [git, work] = [createGit(gitOptions), createGitWork(gitOptions)];
      const people = { author: person, committer: person, at: new Date(0) };
      const push = async (ref: string, content: string, expected: string | null) => {
        const repository = await host.pushTarget(project);
        const dir = join(folder, `checkout-${content}`);
        const { commit: parent } = await git.checkout({ repository, directory: "." }, { ref }, dir);
        await writeFile(join(dir, "index.mdx"), content);
        const state = { commit: parent, dir, directory: "." };
        const paths = (await work.findChanges(repository, state)).map(({ path }) => path);
        const plan = { parent, dir, directory: ".", paths, message: "Mend", ...people };
        const commit = (await work.commit(repository, plan)) ?? "";
        await work.push(repository, { target: repository, branch, commit, expected });
        return commit;
      };
      const first = await push("main", "two", null);
      assert.equal((await host.create(project, wanted)).number, 1);
      const second = await push(branch, "three", first);
      assert.equal((await host.create(project, wanted)).number, 1);
      const page = await host.describe(project, 1);
      assert.deepEqual(
        page.commits.map(({ commit }) => commit).toSorted(),
        [first, second].toSorted(),
      );
      assert.deepEqual(page.files.map(nameOf), ["modified index.mdx"]);
    });
  }
});

/** A pull request on a copy of `outside.git`, which nobody has checked out. */
async function openProposal(t: TestContext) {
  const setup = await setUp(t, { isCopy: true });
  const { host, folder, author, outside } = setup;
  const bare = join(folder, "outside.git");
  await plainGit(folder, "clone", "--quiet", "--bare", outside.folder, bare);
  const project = { ...setup.project, repository: `file://${bare}` };
  const target = await host.pushTarget(project);
  assert.ok("path" in target);
  assert.equal(target.path, host.repositoryOf(project.id).path);
  await author.git("fetch", "--quiet", "origin");
  await author.git("checkout", "--quiet", "-B", "main", "origin/main");
  const commit = await author.commit({ "index.mdx": "two\n" });
  await author.git("push", "--quiet", "origin", `main:refs/heads/${branch}`);
  await host.create(project, wanted);
  const push = async (path: string): Promise<string> => {
    const pushed = await outside.commit({ [path]: "other\n" });
    await outside.git("push", "--quiet", bare, "main");
    return pushed;
  };
  return { ...setup, project, bare, commit, push };
}

describeOn("pglite", "a copy of an outside repository", () => {
  it("takes the service's branches alone, and follows what is merged where the repository is", async (t) => {
    const { host, project, author, outside, bare, commit } = await openProposal(t);
    assert.match(await complaint(author.git("push", "origin", "main")), /this is a copy/);
    const page = await host.describe(project, 1);
    assert.match((await host.diff(project.id, { ...page, paths: [] })) ?? "", /^\+two$/m);

    await outside.git("fetch", "--quiet", author.folder, commit);
    await outside.git("push", "--quiet", bare, `${commit}:main`);
    assert.equal((await host.get(project, 1)).state, "open");
    await host.pushTarget(project);
    assert.equal((await host.get(project, 1)).state, "merged");
  });

  it("is merged into the outside repository in a person's name, with what is new there", async (t) => {
    const { host, project, bare, commit, push } = await openProposal(t);
    assert.ok((await host.describe(project, 1)).mergeability.canMerge);
    const theirs = await push("b.mdx");
    const acts: string[] = [];
    const record = async () => void acts.push("merged");
    assert.equal((await host.merge(project, 1, person, record)).state, "merged");
    const format = "--format=%an <%ae>|%cn|%P";
    const shown = await plainGit(bare, "log", "-1", format, "main");
    assert.equal(shown, `Ada <ada@example.com>|Ada|${theirs} ${commit}`);
    // The copy has it at once, and the second time nothing is done.
    const { path } = host.repositoryOf(project.id);
    const tip = await plainGit(bare, "rev-parse", "main");
    assert.equal(await plainGit(path, "rev-parse", "main"), tip);
    assert.equal((await host.merge(project, 1, person, record)).state, "merged");
    assert.equal(await plainGit(bare, "rev-parse", "main"), tip);
    assert.deepEqual(acts, ["merged"]);
    // The service's own branch stays here.
    assert.equal(await plainGit(bare, "for-each-ref", "--format=%(refname)"), "refs/heads/main");
  });

  it("is not merged over a conflict, as a draft, or where the outside refuses the push", async (t) => {
    const { host, project, bare, push } = await openProposal(t);
    await push("index.mdx");
    const before = await plainGit(bare, "rev-parse", "main");
    await assert.rejects(host.merge(project, 1, person), fails("conflict", /index\.mdx/));
    assert.equal(await plainGit(bare, "rev-parse", "main"), before);
    assert.equal((await host.get(project, 1)).state, "open");

    // Git refuses to move a branch that somebody has checked out.
    const other = await openProposal(t);
    const { folder } = other.outside;
    const refusing = { ...other.project, repository: `file://${folder}` };
    const tip = await plainGit(folder, "rev-parse", "main");
    await assert.rejects(
      other.host.merge(refusing, 1, person),
      fails("forbidden", /rejected the branch main: .*merge the pull request's branch there/),
    );
    assert.equal(await plainGit(folder, "rev-parse", "main"), tip);
    assert.equal((await other.host.get(refusing, 1)).state, "open");
  });
});

describeOn("pglite", "git over HTTP", () => {
  it("is cloned, fetched and pushed with a key, as a password or a bearer token", async (t) => {
    const { project, author, folder, server } = await setUp(t);
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
    const { project, folder, server } = await setUp(t);
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
    const { project, server, folder } = await setUp(t);
    const { id } = project;
    const other = newId("project");
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
    // By hand: a client would clean the address.
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
    const { author, host, project } = await setUp(t, { limits: { receiveBytes: 300_000 } });
    const before = await author.git("rev-parse", "main");
    await author.commit({ "b.mdx": "2\n" });
    await author.git("push", "--quiet", "origin", "main");
    const forced = complaint(author.git("push", "--force", "origin", `${before}:main`));
    assert.match(await forced, /non-fast-forward/);
    assert.match(await complaint(author.git("push", "origin", ":main")), /may not be removed/);
    const main = await author.git("rev-parse", "main");
    await author.commit({ "big.bin": randomBytes(1_000_000).toString("latin1") });
    assert.match(await complaint(author.git("push", "origin", "main")), /maximum allowed size/);
    const { path } = host.repositoryOf(project.id);
    assert.equal(await plainGit(path, "rev-parse", "main"), main);
  });

  it("receives no more of a push than the plan allows the repository", async (t) => {
    const enterprise = { ...defaultQuotas.enterprise, repositoryMb: 0.3 };
    const { author, folder } = await setUp(t, { quotas: { ...defaultQuotas, enterprise } });
    await author.commit({ "big.bin": randomBytes(3_000_000).toString("latin1") });
    const said = await complaint(author.git("push", "origin", "main"));
    assert.match(said, /main \(the repository would be too large; the plan enterprise allows 1 MB/);
    assert.match(said, /maximum allowed size \(29\d\.\d+ KiB\)/);
    const stored = await readdir(join(folder, "storage"), { recursive: true });
    assert.equal(stored.filter((name) => name.endsWith(".pack")).length, 1);
    await author.git("reset", "--quiet", "--hard", "HEAD~1");
    await author.commit({ "small.mdx": "small\n" });
    await author.git("push", "--quiet", "origin", "main");
  });

  it("stores no key in the repository, and is deleted with its project", async (t) => {
    const { host, project } = await setUp(t);
    const { path } = host.repositoryOf(project.id);
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((one) => one.isFile())) {
      const content = await readFile(join(entry.parentPath, entry.name), "latin1");
      assert.ok(!content.includes("hunter2"), entry.name);
    }
    await host.removeRepository(project.id);
    await host.removeRepository(project.id);
    await assert.rejects(stat(path));
    for (const id of ["", "..", "pr_x", `${project.id}/..`]) {
      assert.throws(() => host.repositoryOf(id), fails("not_found", /no such repository/));
    }
  });
});
