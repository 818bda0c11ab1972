import type { Credentials, RemoteRepository, Repository } from "../git/index.ts";

/** What a code host must know of a project. */
export interface CodeHostProject {
  readonly id: string;
  /** `https:`, `ssh:` or `file:` address without credentials, or `local`. */
  readonly repository: string;
  /** What opens the repository; a token in `password` opens the host's API too. */
  readonly credentials?: Credentials | undefined;
}

/** A repository elsewhere, with what the project gives for it. */
export function asGiven({ repository, credentials }: CodeHostProject): RemoteRepository {
  return { url: repository, ...(credentials ? { credentials } : {}) };
}

export type PullRequestState = "open" | "merged" | "closed";

/** Other hosts' merge requests and changes are pull requests too. */
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

export interface PullRequestQuery {
  readonly head: string;
  /** Any when absent. */
  readonly base?: string;
  /** `any` gives an open one before the newest of the others. */
  readonly state: "open" | "any";
}

/** What a host can do. A caller asks first; what is not supported is refused, never left undone silently. */
export interface CodeHostCapabilities {
  readonly supportsDrafts: boolean;
  readonly supportsComments: boolean;
}

/**
 * Where the pull requests of a project are. An adapter is made once, with what it needs to reach its
 * host, and serves every project on it; it keeps nothing of a project that cannot be lost.
 *
 * What holds for each of them:
 * - It never pushes, commits or moves a branch: git does, to `pushTarget`.
 * - `create` looks before it makes: for one pair of branches there are never two open pull requests,
 *   whatever died in between or asked at the same time. Doing it again gives the first one unchanged.
 * - A state is what the host says now. Merged and closed pull requests are found and read like open ones.
 * - No token stands in an address, a log or an error.
 *
 * All throw `OctavoError`, whose message is a sentence for the person who set the project up:
 * `forbidden` (no token, or one that may not do this), `not_found` (no such repository or pull request,
 * or the token may not see it), `ref_not_found` (no such branch), `conflict` (nothing to propose),
 * `invalid_input`, `rate_limited` (with `details.retryAfterSeconds`), `unavailable` (the host does not
 * answer; trying again may help), `cancelled`.
 */
export interface CodeHost {
  /** As in a project's `codeHost`. */
  readonly name: string;
  readonly capabilities: CodeHostCapabilities;

  /**
   * Where the project's files are read, with the host's own credentials where the project gives none and the
   * host has some for it. What it gives may expire within the hour.
   */
  readSource(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /**
   * The repository that the service's branches are pushed to, with the credentials for it. It holds the
   * project's branches as they are now: a host that keeps a copy brings it up to date first. What it
   * gives may expire within the hour; ask again for each push.
   */
  pushTarget(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /** Undefined where there is none. */
  find(
    project: CodeHostProject,
    query: PullRequestQuery,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined>;

  /** The open pull request for these branches: the one that is there as it is, or a new one. */
  create(
    project: CodeHostProject,
    wanted: NewPullRequest,
    signal?: AbortSignal,
  ): Promise<PullRequest>;

  get(project: CodeHostProject, number: number, signal?: AbortSignal): Promise<PullRequest>;

  /** Changes title or body, also of an ended one; what is absent stays. */
  update(
    project: CodeHostProject,
    number: number,
    options: { readonly changes: PullRequestChanges; readonly signal?: AbortSignal | undefined },
  ): Promise<PullRequest>;

  /** Adds a comment (Markdown of 1 to 65,536 characters). Doing it again adds another. */
  comment(
    project: CodeHostProject,
    number: number,
    options: { readonly body: string; readonly signal?: AbortSignal | undefined },
  ): Promise<void>;

  /** Where a person reads it; asks nobody, and says nothing of whether it exists. */
  pullRequestUrl(project: CodeHostProject, number: number): string;
}
