import type { CodeHostName } from "../core/index.ts";
import type { Credentials, Repository } from "../git/index.ts";
import type { ProjectRepository } from "../hosting/index.ts";

/** The data about a project that a code host needs. */
export interface CodeHostProject extends ProjectRepository {
  /** Access to the repository; a token in `password` also grants access to the host's API. */
  readonly credentials?: Credentials | undefined;
}

export type PullRequestState = "open" | "merged" | "closed";

/** A pull request; other hosts call it a merge request or a change. */
export interface PullRequest {
  readonly number: number;
  /** The address for people. */
  readonly url: string;
  readonly state: PullRequestState;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** Short names of branches in the same repository. */
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
  /** Only if the host supports drafts; otherwise `invalid_input`. */
  readonly isDraft?: boolean;
}

export interface PullRequestChanges {
  readonly title?: string;
  readonly body?: string;
}

/** Properties of a new pull request other than its text. */
export interface PullRequestExtras {
  readonly labels: readonly string[];
  /** User names, or team names as `organization/team`. */
  readonly reviewers: readonly string[];
}

export interface PullRequestQuery {
  readonly head: string;
  /** Any base when absent. */
  readonly base?: string;
  /** `any` prefers an open one, then the newest of the others. */
  readonly state: "open" | "any";
}

/**
 * The features that a host supports. Callers check them first: unsupported operations throw; they are never skipped
 * silently.
 */
export interface CodeHostCapabilities {
  readonly supportsDrafts: boolean;
  readonly supportsComments: boolean;
  readonly supportsLabels: boolean;
  readonly supportsReviewers: boolean;
}

/**
 * Manages the pull requests of projects on one host. An adapter is created once and serves every project on its host;
 * any state it keeps for a project may be lost.
 *
 * Every adapter guarantees:
 * - It never pushes, commits or moves a branch: git does, to `pushTarget`.
 * - `create` is idempotent: one pair of branches never has two open pull requests, even after a crash or with
 *   concurrent calls. A repeated call returns the first one unchanged.
 * - States are current. Merged and closed pull requests are found and read like open ones.
 * - No address, log or error contains a token.
 *
 * All methods throw `OctavoError`, whose message is for the person who set up the project: `forbidden` (there is no
 * token, or it lacks the permission), `not_found` (the repository or pull request does not exist, or the token does not
 * grant access to it), `ref_not_found` (the branch does not exist), `conflict` (there is nothing to propose),
 * `invalid_input`, `rate_limited` (with `details.retryAfterSeconds`), `unavailable` (the host does not respond; trying
 * again may help), `cancelled`.
 */
export interface CodeHost {
  /** The value of a project's `codeHost`. */
  readonly name: CodeHostName;
  readonly capabilities: CodeHostCapabilities;

  /**
   * Returns the repository from which the project's files are read, with the host's own credentials if the project has
   * none and the host has some for it. They may expire within the hour.
   */
  readSource(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /**
   * Returns the repository to which the service pushes its branches, with its credentials. It contains the project's
   * current branches: a host that keeps a copy updates it first. The credentials may expire within the hour; call this
   * again for each push.
   */
  pushTarget(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /** Undefined if there is none. */
  find(
    project: CodeHostProject,
    query: PullRequestQuery,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined>;

  /** Returns the open pull request for these branches: the existing one, unchanged, or a new one. */
  create(
    project: CodeHostProject,
    wanted: NewPullRequest,
    signal?: AbortSignal,
  ): Promise<PullRequest>;

  get(project: CodeHostProject, number: number, signal?: AbortSignal): Promise<PullRequest>;

  /** Changes the title or body, even after the pull request has ended; absent fields keep their values. */
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
   * Adds labels and requests reviews; existing ones stay. Idempotent. Only if the host supports them; otherwise
   * `invalid_input`. A refused item does not prevent the others: returns a sentence for each refusal.
   */
  addExtras(
    project: CodeHostProject,
    number: number,
    options: { readonly extras: PullRequestExtras; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly string[]>;

  /** The pull request's address for people; does not contact the host or check whether it exists. */
  pullRequestUrl(project: CodeHostProject, number: number): string;
}
