import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../../test/support/fails.ts";
import { parseAllowList } from "../../core/index.ts";
import { openAuthor, serveFixture, folderFor } from "../../../../../test/support/git-fixture.ts";
import type { GitServerOptions } from "../../../../../test/support/git-fixture.ts";
import { createGit } from "../git.ts";
import type { Credentials } from "../repository.ts";
import type { GitLimits } from "../program/tools.ts";

/** Runs the packages from their sources, as in the process of the test. */
const runsSources = "--conditions=@octavo/source";
const login = { user: "octo", password: "hunter2-not-a-real-token" };
const credentials: Credentials = { username: login.user, password: login.password };

async function setUp(t: TestContext, options: Partial<GitServerOptions> = {}) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "docs.git"));
  const commit = await author.commit({ "docs/index.mdx": "one" });
  const server = await serveFixture({ root: folder, ...options });
  t.after(() => server[Symbol.asyncDispose]());
  const cacheDir = join(folder, "cache");
  return {
    folder,
    author,
    commit,
    server,
    cacheDir,
    url: `${server.url}/docs.git`,
    open: (allow = `127.0.0.1:${server.port}`, limits: Partial<GitLimits> = {}) =>
      createGit({ cacheDir, allow: parseAllowList(allow), limits }),
  };
}

/** Returns every file below `folder` that contains `text`. */
async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const found = await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      return (await readFile(file, "latin1")).includes(text) ? [file] : [];
    }),
  );
  return found.flat();
}

describe("a repository over HTTP", () => {
  it("is fetched with credentials that no file contains", async (t) => {
    const { open, url, commit, folder, cacheDir } = await setUp(t, { login });
    const repository = { url, credentials };
    const dir = join(folder, "out");
    const checkout = await open().checkout({ repository, directory: "docs" }, {}, dir);
    assert.deepEqual(checkout, { dir, commit, ref: "main" });
    assert.equal(await readFile(join(dir, "index.mdx"), "utf8"), "one");
    assert.deepEqual(await filesWith(cacheDir, login.password), []);
    assert.deepEqual(await filesWith(cacheDir, btoa(login.password)), []);
  });

  it("is asked only for its refs if nothing has changed", async (t) => {
    const { open, url, server } = await setUp(t);
    const git = open();
    await git.fetchMirror({ url });
    const before = server.requests.length;
    await git.fetchMirror({ url });
    // Protocol 2: the server's capabilities, and the list of its refs.
    assert.deepEqual(server.requests.slice(before), [
      "GET /docs.git/info/refs?service=git-upload-pack",
      "POST /docs.git/git-upload-pack",
    ]);
  });

  it("is copied once for a reader whose password is renewed, and only with a valid password", async (t) => {
    const renewed = { user: login.user, password: "hunter2-the-first" };
    const { open, url, cacheDir, commit } = await setUp(t, { login: renewed });
    const git = open();
    const at = (password: string, reader = "installation 7") =>
      git.fetchMirror({ url, reader, credentials: { username: login.user, password } });
    const first = await at(renewed.password);
    const mark = join(first.path, "mark");
    await writeFile(mark, "");
    await assert.rejects(at("hunter2-wrong"), fails("repository_unreachable", /credentials/));
    renewed.password = "hunter2-the-second";
    const expired = at("hunter2-the-first");
    await assert.rejects(expired, fails("repository_unreachable", /credentials/));
    assert.deepEqual(await at(renewed.password), first);
    assert.equal((await git.resolveRef(first)).commit, commit);
    assert.equal(await readFile(mark, "utf8"), "");
    assert.notDeepEqual(await at(renewed.password, "installation 8"), first);
    assert.equal((await readdir(join(cacheDir, "mirrors"))).length, 2);
  });

  const wrong: [name: string, credentials: Credentials | undefined][] = [
    ["no credentials", undefined],
    ["a wrong password", { username: "octo", password: "hunter2-wrong" }],
    ["an ssh key", { privateKey: "hunter2" }],
  ];
  for (const [name, given] of wrong) {
    it(`is refused with ${name}`, async (t) => {
      const { open, url } = await setUp(t, { login });
      const git = open();
      // Another user's copy of it already exists here.
      await git.fetchMirror({ url, credentials });
      await assert.rejects(
        git.fetchMirror(given ? { url, credentials: given } : { url }),
        fails("repository_unreachable", /credentials/),
      );
    });
  }

  it("fails with its own error if there is no repository, the server fails or nothing answers", async (t) => {
    const { open, server, url } = await setUp(t, {
      intercept(request, response) {
        const status = /^\/status\/(\d+)/.exec(request.url ?? "")?.[1];
        if (status === undefined) return false;
        response.writeHead(Number(status), { location: url }).end();
        return true;
      },
    });
    const git = open();
    const cases: [path: string, words: RegExp][] = [
      ["/nothing.git", /no repository at this address/],
      ["/status/404", /no repository at this address/],
      ["/status/403", /rejected the credentials/],
      ["/status/301", /redirects to a different address/],
      ["/status/302", /redirects to a different address/],
    ];
    for (const [path, words] of cases) {
      await assert.rejects(
        git.fetchMirror({ url: server.url + path }),
        fails("repository_unreachable", words),
      );
    }
    await assert.rejects(
      git.fetchMirror({ url: `${server.url}/status/503` }),
      fails("unavailable", /reports an internal error/),
    );
    await server[Symbol.asyncDispose]();
    // The address must not be mistaken for git's message.
    for (const name of ["docs", "TLS", "o'brien", "o'brien's TLS"]) {
      await assert.rejects(
        git.fetchMirror({ url: `${server.url}/${encodeURI(name)}.git` }),
        fails("repository_unreachable", /does not respond/),
        name,
      );
    }
  });

  it("is unavailable, and not unreachable, when it was read before and does not respond now", async (t) => {
    const { open, server, url } = await setUp(t);
    const git = open();
    await git.fetchMirror({ url });
    await server[Symbol.asyncDispose]();
    await assert.rejects(git.fetchMirror({ url }), fails("unavailable", /does not respond/));
    const never = `${server.url}/never.git`;
    await assert.rejects(git.fetchMirror({ url: never }), fails("repository_unreachable"));
  });

  it("is not contacted at a private address that the operator did not name", async (t) => {
    const { server, open } = await setUp(t);
    const { port } = server;
    const addresses = [
      `http://127.0.0.1:${port}/docs.git`,
      `http://localhost:${port}/docs.git`,
      `http://0x7f000001:${port}/docs.git`,
      `https://127.0.0.1:${port}/docs.git`,
      `https://localhost:${port}/docs.git`,
      `https://[::1]:${port}/docs.git`,
      `https://[::ffff:127.0.0.1]:${port}/docs.git`,
      `https://169.254.169.254/latest`,
      `ssh://git@127.0.0.1:${port}/docs.git`,
      `git@localhost:docs.git`,
    ];
    for (const url of addresses) {
      for (const allow of ["", "127.0.0.1:1", "example.com"]) {
        await assert.rejects(
          open(allow).fetchMirror({ url }),
          fails("repository_unreachable", /OCTAVO_ALLOW/),
        );
      }
    }
    assert.deepEqual(server.requests, []);
  });

  it("is contacted at a private address whose host or network the operator named", async (t) => {
    const { server, open, commit } = await setUp(t);
    const named: [allow: string, host: string][] = [
      ["127.0.0.0/8", "127.0.0.1"],
      [`localhost:${server.port}`, "localhost"],
    ];
    for (const [allow, host] of named) {
      const git = open(allow);
      const mirror = await git.fetchMirror({ url: `http://${host}:${server.port}/docs.git` });
      assert.equal((await git.resolveRef(mirror)).commit, commit);
    }
  });

  it("fails with the name of a host that does not exist", async (t) => {
    const { open } = await setUp(t);
    await assert.rejects(
      open().fetchMirror({ url: "https://git.invalid/docs.git" }),
      fails("repository_unreachable", /host name is unknown/),
    );
  });
});

async function setUpSilence(t: TestContext) {
  const silent = createServer(() => undefined);
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  const sockets = new Set<Socket>();
  // The socket is read so that the end of the connection is noticed.
  silent.on("connection", (socket) => sockets.add(socket.resume()));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    silent.close();
  });
  const { port } = silent.address() as AddressInfo;
  const folder = await folderFor(t);
  const open = (limits: Partial<GitLimits> = {}) =>
    createGit({ cacheDir: folder, allow: parseAllowList("127.0.0.1"), limits });
  return { silent, port, open, url: `http://127.0.0.1:${port}/docs.git` };
}

describe("a fetch from a server that never responds", () => {
  it("ends at the time limit", async (t) => {
    const { open, url } = await setUpSilence(t);
    await assert.rejects(
      open({ commandMs: 1_000 }).fetchMirror({ url }),
      fails("too_large", /longer than 1 seconds/),
    );
  });

  for (const protocol of ["http", "ssh"]) {
    it(`ends with every git process when the job is cancelled (${protocol})`, async (t) => {
      const { silent, port, open } = await setUpSilence(t);
      const controller = new AbortController();
      const connected = once(silent, "connection");
      const url = `${protocol}://127.0.0.1:${port}/docs.git`;
      const fetching = open().fetchMirror({ url }, controller.signal);
      const [socket] = (await connected) as [Socket];
      const closed = once(socket, "close");
      controller.abort();
      await assert.rejects(fetching, fails("cancelled", /Cancelled/));
      // The process that had the connection open has exited, too.
      await closed;
    });
  }
});

describe("a service that is killed during a fetch", () => {
  it("leaves a mirror that the next service can use", async (t) => {
    let isHeld = true;
    const { open, url, cacheDir, commit, server } = await setUp(t, {
      // The list of refs arrives; the following request hangs until the service has ended.
      intercept: (request) => isHeld && request.method === "POST",
    });
    const script =
      `import { createGit } from ${JSON.stringify(join(import.meta.dirname, "../index.ts"))};` +
      `import { parseAllowList } from ${JSON.stringify(join(import.meta.dirname, "../../core/index.ts"))};` +
      `const git = createGit({ cacheDir: ${JSON.stringify(cacheDir)}, allow: parseAllowList("127.0.0.1") });` +
      `await git.fetchMirror({ url: ${JSON.stringify(url)} });`;
    const child = spawn(process.execPath, [runsSources, "--input-type=module", "--eval", script]);
    while (!server.requests.some((request) => request.startsWith("POST"))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    isHeld = false;
    const git = open();
    const mirror = await git.fetchMirror({ url });
    assert.equal((await git.resolveRef(mirror)).commit, commit);
  });
});
