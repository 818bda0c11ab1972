import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { git, openAuthor, serveFixture } from "./git-fixture.ts";
import type { Author } from "./git-fixture.ts";
import { startGitea } from "./gitea-stand-in.ts";
import { startGitHub } from "./github-stand-in.ts";
import { startGitLab } from "./gitlab-stand-in.ts";
import { createGitHubPush, createGitLabPush, createGiteaPush, senders } from "./hook-deliveries.ts";
import type { HookRequest } from "./hook-deliveries.ts";

export interface SeenReviewStatus {
  readonly commit: string;
  readonly state: string;
  readonly description: string;
  readonly url: string;
}

/** A code host with the repository of a site, and what its people see and do there. */
export interface ReviewedHost extends AsyncDisposable {
  /** The address of the repository. */
  readonly repository: string;
  /** The settings of a service that may reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** The bare repository. */
  readonly folder: string;
  /** Opens a pull request of a fork at a commit that the repository has. */
  openFork(branch: string, commit: string): Promise<number>;
  /** Moves the head of a fork's pull request. */
  moveFork(number: number, commit: string): Promise<void>;
  /** Closes a pull request that was merged. */
  end(number: number): Promise<void>;
  /** All statuses that were set, the oldest first, with GitLab's word for a failure translated. */
  statuses(): readonly SeenReviewStatus[];
  comments(number: number): readonly string[];
  hooks(): readonly { readonly url: string; readonly secret: string }[];
  /** The next requests fail as if the host were down. */
  fail(times: number): void;
  /** Fails where a request or an answer was not as the host describes it. */
  check(): void;
  /** A report that a pull request changed. */
  report(secret: string): HookRequest;
  /** A report that `main` was pushed. */
  reportPush(secret: string, commit: string): HookRequest;
}

export const reviewToken = "hunter2oftheproject";

/** Starts the hosts by their names, each with a copy of the author's repository. */
export const reviewedHosts: Readonly<
  Record<string, (folder: string, author: Author) => Promise<ReviewedHost>>
> = {
  GitHub: startReviewedGitHub,
  Gitea: (folder, author) => startReviewedGitea(folder, author, "Gitea"),
  Forgejo: (folder, author) => startReviewedGitea(folder, author, "Forgejo"),
  GitLab: startReviewedGitLab,
};

async function copy(folder: string, author: Author, path: string): Promise<string> {
  const bare = join(folder, "git", path);
  await git(folder, "clone", "--quiet", "--bare", author.folder, bare);
  return bare;
}

/** Returns the settings of a service that trusts a server of this machine. */
async function trust(folder: string, certificate: string): Promise<Record<string, string>> {
  const file = join(folder, "certificate.pem");
  await writeFile(file, certificate);
  return { NODE_EXTRA_CA_CERTS: file, OCTAVO_ALLOW: "127.0.0.1" };
}

async function startReviewedGitHub(folder: string, author: Author): Promise<ReviewedHost> {
  const bare = await copy(folder, author, "acme/docs.git");
  const login = { user: "x-access-token", password: reviewToken };
  const server = await serveFixture({ root: join(folder, "git"), login, isSecure: true });
  const github = await startGitHub({ token: reviewToken, repository: bare });
  return {
    repository: `${server.url}/acme/docs.git`,
    env: {
      ...(await trust(folder, server.certificate)),
      OCTAVO_GITHUB_HOSTS: `127.0.0.1=${github.url}/api/v3`,
    },
    folder: bare,
    async openFork(branch, commit) {
      github.addForkPull(branch, "main", commit);
      return github.pulls.length;
    },
    moveFork: async (number, commit) =>
      void Object.assign(github.pulls[number - 1] ?? {}, { commit }),
    end: async (number) => github.end(number, "merged"),
    statuses: () => github.statuses.map(({ target_url: url, ...status }) => ({ ...status, url })),
    comments: (number) => github.pulls[number - 1]?.comments.map(({ body }) => String(body)) ?? [],
    hooks: () => github.hooks.map(({ config: { url = "", secret = "" } }) => ({ url, secret })),
    fail: (times) => github.fail({ status: 503, times }),
    check: () => void github.checkExchanges(),
    report: (secret) =>
      senders.github(secret, "pull_request", { action: "synchronize", number: 1 }),
    reportPush: (secret, after) => senders.github(secret, "push", createGitHubPush({ after })),
    async [Symbol.asyncDispose]() {
      await github[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function startReviewedGitea(
  folder: string,
  author: Author,
  program: "Gitea" | "Forgejo",
): Promise<ReviewedHost> {
  const bare = await copy(folder, author, "acme/docs.git");
  const root = join(folder, "git");
  const gitea = await startGitea({ root, token: reviewToken, program, isSecure: true });
  const send = senders[program === "Gitea" ? "gitea" : "forgejo"];
  return {
    repository: gitea.repository,
    env: {
      ...(await trust(folder, gitea.certificate)),
      OCTAVO_GITEA_HOSTS: `127.0.0.1=${gitea.url}`,
    },
    folder: bare,
    async openFork(branch, commit) {
      await gitea.addForkPull(branch, commit);
      return gitea.pulls.length;
    },
    moveFork: async (number, commit) =>
      void (await git(bare, "update-ref", `refs/pull/${number}/head`, commit)),
    end: (number) => gitea.end(number, "merged"),
    statuses: () => gitea.statuses.map(({ target_url: url, ...status }) => ({ ...status, url })),
    comments: (number) => gitea.pulls[number - 1]?.comments.map(({ body }) => body) ?? [],
    hooks: () => gitea.hooks.map(({ config: { url = "", secret = "" } }) => ({ url, secret })),
    fail: (times) => gitea.fail({ status: 503, times }),
    check: () => void gitea.checkExchanges(),
    report: (secret) => send(secret, "pull_request", { action: "synchronized", number: 1 }),
    reportPush: (secret, after) => send(secret, "push", createGiteaPush({ after })),
    [Symbol.asyncDispose]: () => gitea[Symbol.asyncDispose](),
  };
}

async function startReviewedGitLab(folder: string, author: Author): Promise<ReviewedHost> {
  const bare = await copy(folder, author, "acme/web/docs.git");
  const root = join(folder, "git");
  const gitlab = await startGitLab({ root, token: reviewToken, isSecure: true });
  return {
    repository: gitlab.repository,
    env: {
      ...(await trust(folder, gitlab.certificate)),
      OCTAVO_GITLAB_HOSTS: `127.0.0.1=${gitlab.url}`,
    },
    folder: bare,
    async openFork(branch, commit) {
      await gitlab.addForkMergeRequest(branch, commit);
      return gitlab.mergeRequests.length;
    },
    moveFork: async (number, commit) =>
      void (await git(bare, "update-ref", `refs/merge-requests/${number}/head`, commit)),
    end: (number) => gitlab.end(number, "merged"),
    statuses: () =>
      gitlab.statuses.map(({ target_url: url, state, ...status }) => ({
        ...status,
        state: state === "failed" ? "failure" : state,
        url,
      })),
    comments: (number) => gitlab.mergeRequests[number - 1]?.notes.map(({ body }) => body) ?? [],
    hooks: () => gitlab.hooks.map(({ url, token: secret }) => ({ url, secret })),
    fail: (times) => gitlab.fail({ status: 503, times }),
    check: () => void gitlab.checkExchanges(),
    report: (secret) =>
      senders.gitlabSigned(secret, "Merge Request Hook", {
        object_kind: "merge_request",
        object_attributes: { iid: 1, action: "update" },
      }),
    reportPush: (secret, after) =>
      senders.gitlabSigned(secret, "Push Hook", createGitLabPush({ after })),
    [Symbol.asyncDispose]: () => gitlab[Symbol.asyncDispose](),
  };
}

/** Opens an author with the repository of a small site. */
export async function openSiteAuthor(folder: string): Promise<Author> {
  const author = await openAuthor(join(folder, "author"));
  await author.commit(reviewedSite);
  return author;
}

export const reviewedSite = {
  "docs/docs.json": JSON.stringify({ name: "Lantern", navigation: { pages: ["index", "guide"] } }),
  "docs/index.mdx": "---\ntitle: Home\n---\n\nRead the [guide](/guide) of the Lamp.\n",
  "docs/guide.mdx": "---\ntitle: Guide\n---\n\nFill the Lamp.\n",
};
