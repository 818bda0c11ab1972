import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { makeCertificate } from "./certificate.ts";
import { launchGit } from "./launcher.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The person who works on the fixture's repositories; the same commits get the same names. */
const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.com",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.com",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
  // From version 2.47 it goes on behind a commit, in a folder that a test may be removing.
  GIT_CONFIG_COUNT: "1",
  GIT_CONFIG_KEY_0: "maintenance.auto",
  GIT_CONFIG_VALUE_0: "false",
};

/** A folder for one test, removed when the test ends; links in its own path are resolved. */
export async function folderFor(t: { after(done: () => Promise<void>): void }): Promise<string> {
  const folder = await temporaryFolder();
  t.after(async () => await folder[Symbol.asyncDispose]());
  return folder.path;
}

/** Runs the machine's git as a person would, with all that the service forbids itself. */
export async function git(cwd: string, ...args: string[]): Promise<string> {
  const output = await launchGit(cwd, args, environment);
  return output.trim();
}

/** Returns git's message to the person whose command failed. */
export async function complaint(command: Promise<string>): Promise<string> {
  try {
    await command;
  } catch (error) {
    return String((error as { stderr?: string }).stderr);
  }
  throw new assert.AssertionError({ message: "git should have failed" });
}

/** Content of a file, a link's target, or undefined for a file to remove. */
export type FixtureChange = string | Uint8Array | { readonly link: string } | undefined;

export interface Author {
  /** A repository with a working tree. */
  readonly folder: string;
  /** Commits on the current branch, at noon of a day where one is given, and gives back the commit. */
  commit(files: Readonly<Record<string, FixtureChange>>, day?: string): Promise<string>;
  git(...args: string[]): Promise<string>;
}

export async function openAuthor(folder: string): Promise<Author> {
  await mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet", "--initial-branch=main");
  return {
    folder,
    git: (...args) => git(folder, ...args),
    async commit(files, day) {
      for (const [path, change] of Object.entries(files)) {
        await applyChange(join(folder, path), change);
      }
      await git(folder, "add", "--all");
      const time = day === undefined ? [] : [`--date=${day}T12:00:00Z`];
      const args = ["commit", "--quiet", "--allow-empty", "--message=Change", ...time];
      const committed = day === undefined ? {} : { GIT_COMMITTER_DATE: `${day}T12:00:00Z` };
      await launchGit(folder, args, { ...environment, ...committed });
      return await git(folder, "rev-parse", "HEAD");
    },
  };
}

async function applyChange(file: string, change: FixtureChange): Promise<void> {
  await rm(file, { force: true });
  if (change === undefined) return;
  await mkdir(dirname(file), { recursive: true });
  if (typeof change === "string" || change instanceof Uint8Array) await writeFile(file, change);
  else await symlink(change.link, file);
}

export interface GitServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, or `https://` where it is secure. */
  readonly url: string;
  /** PEM; who connects to a secure one must trust it. */
  readonly certificate: string;
  /** Method and path of each request, e.g. `GET /a.git/info/refs?service=git-upload-pack`. */
  readonly requests: readonly string[];
}

export interface GitServerOptions {
  /** Below which the repositories lie. */
  readonly root: string;
  /** Everybody may read when absent. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Whether it speaks TLS. */
  readonly isSecure?: boolean;
  /** Answers instead of git where it gives true. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** The real `git http-backend` behind HTTP, as code hosts serve it. */
export async function serveFixture(options: GitServerOptions): Promise<GitServer> {
  const { root, login, isSecure = false, intercept } = options;
  const requests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    requests.push(`${request.method} ${request.url}`);
    if (intercept?.(request, response)) return;
    // Looked at anew each time: a test may change the password.
    const expected = login && `Basic ${btoa(`${login.user}:${login.password}`)}`;
    if (expected !== undefined && request.headers.authorization !== expected) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
      return;
    }
    runBackend(root, request, response);
  };
  const { key, certificate } = makeCertificate();
  const server = isSecure
    ? createSecureServer({ key, cert: certificate }, answer)
    : createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`,
    certificate,
    requests,
    async [Symbol.asyncDispose]() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** The Common Gateway Interface: the request by environment and input, the answer's head before its body. */
function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://git.invalid");
  const { headers } = request;
  const child = spawn("git", ["http-backend"], {
    env: {
      ...environment,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "http.receivepack",
      GIT_CONFIG_VALUE_0: "true",
      REQUEST_METHOD: request.method ?? "GET",
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: headers["content-type"] ?? "",
      CONTENT_LENGTH: headers["content-length"] ?? "",
      HTTP_CONTENT_ENCODING: headers["content-encoding"] ?? "",
      GIT_PROTOCOL: String(headers["git-protocol"] ?? ""),
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin).on("error", () => undefined);
  response.on("close", () => child.kill());
  let head = Buffer.alloc(0);
  child.stdout.on("data", (chunk: Buffer) => {
    if (response.headersSent) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    writeHead(response, head.subarray(0, end).toString());
    response.write(head.subarray(end + 4));
  });
  child.on("close", () => response.end());
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*/, 2);
    if (name.toLowerCase() === "status") status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
