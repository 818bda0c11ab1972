import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { inspect } from "node:util";
import { isOctavoError } from "@octavo/site/core";
import { parseAllowList } from "../../core/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { folderFor, openAuthor, serveFixture } from "../../../../../test/support/git-fixture.ts";
import { createGit } from "../git.ts";
import { createGitWork } from "../work/work.ts";
import type { Credentials } from "../repository.ts";

/** Runs the packages from their sources, as in the process of the test. */
const runsSources = "--conditions=@octavo/source";
const login = { user: "octo-4711-not-a-real-name", password: "hunter2/not+a=real token" };
const credentials: Credentials = { username: login.user, password: login.password };
const basic = btoa(`${login.user}:${login.password}`);

async function setUp(t: TestContext, intercept?: (...exchange: Exchange) => boolean) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "docs.git"));
  await author.commit({ "index.mdx": "one\n" });
  const server = await serveFixture({ root: folder, login, ...(intercept && { intercept }) });
  t.after(() => server[Symbol.asyncDispose]());
  const options = {
    cacheDir: join(folder, "an operator's cache"),
    allow: parseAllowList(`127.0.0.1:${server.port}`),
  };
  const repository = { url: `${server.url}/docs.git`, credentials };
  return { folder, repository, git: createGit(options), work: createGitWork(options) };
}

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** Checks an error. Everything in it, including its causes, may appear in a log. */
function failsWithoutSecrets(code: ErrorCode, words: RegExp) {
  return (error: unknown): boolean => {
    assert.ok(isOctavoError(error, code), `${code} expected, not ${String(error)}`);
    const shown = inspect(error, { depth: 10, showHidden: true });
    assert.match(shown, words);
    for (const secret of [login.password, login.user, encodeURIComponent(login.password)]) {
      assert.ok(!shown.includes(secret), shown);
    }
    assert.ok(!shown.includes(basic.slice(20)), shown);
    return true;
  };
}

describe("credentials that a server repeats", () => {
  it("appear in no error of a fetch", async (t) => {
    const { git, repository } = await setUp(t, ({ headers }, response) => {
      if (headers.authorization === undefined) return false;
      // Git shows a server's plain text to people.
      const said = [headers.authorization, login.password, encodeURIComponent(login.password)];
      response.writeHead(403, { "content-type": "text/plain" }).end(`No: ${said.join(", ")}`);
      return true;
    });
    await assert.rejects(
      git.fetchMirror(repository),
      failsWithoutSecrets("repository_unreachable", /remote: No: Basic .*\[redacted\]/),
    );
  });

  it("appear in no error of a push", async (t) => {
    const { git, work, repository, folder } = await setUp(t, ({ method, url }, response) => {
      if (method !== "POST" || !url?.endsWith("git-receive-pack")) return false;
      const said = `${login.password} of ${login.user} may not`;
      const report = `${packet("unpack ok\n")}${packet(`ng refs/heads/octavo/a ${said}\n`)}0000`;
      response.writeHead(200, { "content-type": "application/x-git-receive-pack-result" });
      response.end(`${packet(`\u0002${said}\n`)}${packet(`\u0001${report}`)}0000`);
      return true;
    });
    const dir = join(folder, "checkout");
    const { commit } = await git.checkout({ repository, directory: "." }, {}, dir);
    const push = { target: repository, branch: "octavo/a", commit, expected: null };
    await assert.rejects(
      work.push(repository, push),
      failsWithoutSecrets("forbidden", /\[redacted\] of \[redacted\] may not/),
    );
  });
});

function packet(content: string): string {
  return (content.length + 4).toString(16).padStart(4, "0") + content;
}

describe("credentials", () => {
  it("open a repository whatever characters they and the folders contain", async (t) => {
    const { git, repository, folder } = await setUp(t);
    const dir = join(folder, "checkout");
    await git.checkout({ repository, directory: "." }, {}, dir);
    assert.equal(await readFile(join(dir, "index.mdx"), "utf8"), "one\n");
  });

  it("are refused if they contain line breaks", async (t) => {
    const { git, repository } = await setUp(t);
    const password = `${login.password}\nhost=elsewhere.example`;
    await assert.rejects(
      git.fetchMirror({ ...repository, credentials: { ...credentials, password } }),
      failsWithoutSecrets("repository_unreachable", /control characters/),
    );
  });
});

describe("a private key", () => {
  it("is in no file after the command, nor after a kill and the next start", async (t) => {
    const folder = await folderFor(t);
    const { port, sockets } = await startSilence(t);
    const cacheDir = join(folder, "cache");
    const script =
      `import { createGit } from ${JSON.stringify(join(import.meta.dirname, "../index.ts"))};` +
      `import { parseAllowList } from ${JSON.stringify(join(import.meta.dirname, "../../core/index.ts"))};` +
      `const git = createGit({ cacheDir: ${JSON.stringify(cacheDir)}, allow: parseAllowList("127.0.0.1") });` +
      `await git.fetchMirror({ url: "ssh://git@127.0.0.1:${port}/docs.git", credentials: { privateKey: "hunter2" } });`;
    const file = join(folder, "fetch.mjs");
    await writeFile(file, script);
    const child = spawn(process.execPath, [runsSources, file]);
    while (sockets.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await keysIn(cacheDir)).length, 1);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal((await keysIn(cacheDir)).length, 1);

    const git = createGit({ cacheDir, allow: parseAllowList("127.0.0.1") });
    const controller = new AbortController();
    const url = `ssh://git@127.0.0.1:${port}/docs.git`;
    sockets.clear();
    const repository = { url, credentials: { privateKey: "hunter2" } };
    const fetching = git.fetchMirror(repository, controller.signal);
    while (sockets.size === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal((await keysIn(cacheDir)).length, 1);
    controller.abort();
    await assert.rejects(fetching, (error) => isOctavoError(error, "cancelled"));
    assert.deepEqual(await keysIn(cacheDir), []);
  });
});

async function startSilence(t: TestContext) {
  const server = createServer(() => undefined);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const sockets = new Set<Socket>();
  const all: Socket[] = [];
  server.on("connection", (socket) => {
    sockets.add(socket.resume());
    all.push(socket.on("error", () => undefined));
  });
  t.after(() => {
    for (const socket of all) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sockets };
}

async function keysIn(cacheDir: string): Promise<string[]> {
  const entries = await readdir(cacheDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name === "key")
    .map((entry) => join(entry.parentPath, entry.name));
}
