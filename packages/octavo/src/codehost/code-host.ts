import type { CodeHostName } from "../core/index.ts";
import type { Credentials, Repository } from "../git/index.ts";
import type { ProjectRepository } from "../hosting/index.ts";

/** What a code host needs of a project. */
export interface CodeHostProject extends ProjectRepository {
  /** Access to the repository; a token in `password` also grants access to the host's API. */
  readonly credentials?: Credentials | undefined;
}

export type PullRequestState = "open" | "merged" | "closed";

/** Also a merge request or a change on other hosts. */
export interface PullRequest {
  readonly number: number;
  /** For a person's browser. */
  readonly url: string;
  readonly state: PullRequestState;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** Short names of branches of the same repository. */
  readonly head: string;
  readonly base: string;
  readonly isDraft: boolean;
  readonly createdAt: Date;
  /** When it was merged or closed. */
  readonly endedAt?: Date;
}

export interface NewPullRequest {
  /** One line of 1 to 256 characters. */
  readonly title: string;
  /** Markdown of at most 65,536 characters. */
  readonly body: string;
  readonly head: string;
  readonly base: string;
  /** Only where the host supports drafts; else `invalid_input`. */
  readonly isDraft?: boolean;
}

export interface PullRequestChanges {
  readonly title?: string;
  readonly body?: string;
}

/** What a new pull request has beside its text. */
export interface PullRequestExtras {
  readonly labels: readonly string[];
  /** Names of users, or of teams as `organisation/team`. */
  readonly reviewers: readonly string[];
}

export interface PullRequestQuery {
  readonly head: string;
  /** Any when absent. */
  readonly base?: string;
  /** `any` prefers an open one, then the newest of the others. */
  readonly state: "open" | "any";
}

/** What a host supports. Callers check first; unsupported operations throw, they are never skipped silently. */
export interface CodeHostCapabilities {
  readonly supportsDrafts: boolean;
  readonly supportsComments: boolean;
  readonly supportsLabels: boolean;
  readonly supportsReviewers: boolean;
}

/**
 * Manages the pull requests of projects on one host. An adapter is created once and serves every project on its
 * host; any state it keeps for a project may be lost.
 *
 * Every adapter guarantees:
 * - It never pushes, commits or moves a branch: git does, to `pushTarget`.
 * - `create` is idempotent: one pair of branches never has two open pull requests, even after a crash or with
 *   concurrent calls. A repeated call returns the first one unchanged.
 * - States are current. Merged and closed pull requests are found and read like open ones.
 * - No address, log or error contains a token.
 *
 * All methods throw `OctavoError`, whose message is for the person who set the project up:
 * `forbidden` (no token, or one that may not do this), `not_found` (no such repository or pull request,
 * or the token may not see it), `ref_not_found` (no such branch), `conflict` (nothing to propose),
 * `invalid_input`, `rate_limited` (with `details.retryAfterSeconds`), `unavailable` (the host does not
 * respond; trying again may help), `cancelled`.
 */
export interface CodeHost {
  /** As in a project's `codeHost`. */
  readonly name: CodeHostName;
  readonly capabilities: CodeHostCapabilities;

  /**
   * The repository to read the project's files from, with the host's own credentials if the project has none
   * and the host has some for it. They may expire within the hour.
   */
  readSource(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /**
   * The repository that the service's branches are pushed to, with its credentials. It contains the project's
   * current branches: a host with a copy updates it first. The credentials may expire within the hour; call this
   * again for each push.
   */
  pushTarget(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /** Undefined if there is none. */
  find(
    project: CodeHostProject,
    query: PullRequestQuery,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined>;

  /** The open pull request for these branches: the existing one, unchanged, or a new one. */
  create(
    project: CodeHostProject,
    wanted: NewPullRequest,
    signal?: AbortSignal,
  ): Promise<PullRequest>;

  get(project: CodeHostProject, number: number, signal?: AbortSignal): Promise<PullRequest>;

  /** Changes title or body, also of an ended one; absent fields keep their values. */
  update(
    project: CodeHostProject,
    number: number,
    options: { readonly changes: PullRequestChanges; readonly signal?: AbortSignal | undefined },
  ): Promise<PullRequest>;

  /** Adds a comment (Markdown of 1 to 65,536 characters). Not idempotent. */
  comment(
    project: CodeHostProject,
    number: number,
    options: { readonly body: string; readonly signal?: AbortSignal | undefined },
  ): Promise<void>;

  /**
   * Adds labels and asks for reviews; what is there already stays. Idempotent. Only where the host supports them;
   * else `invalid_input`. What the host refuses keeps nothing else from being done: returns a sentence for each
   * refusal.
   */
  addExtras(
    project: CodeHostProject,
    number: number,
    options: { readonly extras: PullRequestExtras; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly string[]>;

  /** Its address for people; does not contact the host or check that it exists. */
  pullRequestUrl(project: CodeHostProject, number: number): string;
}
