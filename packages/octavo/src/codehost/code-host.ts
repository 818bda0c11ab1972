import type { CodeHostName } from "../core/index.ts";
import type { Credentials, Repository } from "../git/index.ts";
import type { ProjectRepository } from "../hosting/index.ts";

/**
 * The host names of public servers, including those for ssh. Gitea itself has no public server; Codeberg runs Forgejo.
 */
export const publicHosts = {
  github: ["github.com", "www.github.com", "ssh.github.com"],
  gitlab: ["gitlab.com", "altssh.gitlab.com"],
  gitea: ["codeberg.org"],
} as const satisfies Partial<Record<CodeHostName, readonly string[]>>;

/** The data about a project that a code host needs. */
export interface CodeHostProject extends ProjectRepository {
  /** Access to the repository. A token in `password` also grants access to the host's API. */
  readonly credentials?: Credentials | undefined;
}

export type PullRequestState = "open" | "merged" | "closed";

/** A pull request, which some hosts call a merge request or a change. */
export interface PullRequest {
  readonly number: number;
  /** The address of its web page. */
  readonly url: string;
  readonly state: PullRequestState;
  readonly title: string;
  /** Markdown. */
  readonly body: string;
  /** The short name of the branch with the changes. Like `base`, it is in the project's own repository. */
  readonly head: string;
  readonly base: string;
  readonly isDraft: boolean;
  readonly createdAt: Date;
  /** The time of the merge or of the closing without a merge. */
  readonly endedAt?: Date;
}

export interface NewPullRequest {
  /** One line of 1 to 256 characters. */
  readonly title: string;
  /** Markdown of at most 65,536 characters. */
  readonly body: string;
  readonly head: string;
  readonly base: string;
  /** Whether to create a draft. Throws `invalid_input` if the host does not support drafts. */
  readonly isDraft?: boolean;
}

export interface PullRequestChanges {
  readonly title?: string;
  readonly body?: string;
}

/** Properties of a new pull request other than its text. */
export interface PullRequestExtras {
  readonly labels: readonly string[];
  /** User names, or team names in the form `organization/team`. */
  readonly reviewers: readonly string[];
}

/** A comment on a pull request as a whole. */
export interface PullRequestRemark {
  readonly author: string;
  /** Whether the author is a person who may write to the repository or a member of the organization that owns it. */
  readonly isByMember: boolean;
  /** Markdown. Empty for a review without text. */
  readonly body: string;
  readonly createdAt: Date;
}

export interface Review extends PullRequestRemark {
  /** Whether the review asks for changes before a merge. */
  readonly requestsChanges: boolean;
}

/** A person's comment on a line of a pull request, or a reply to one in the same thread. */
export interface ThreadComment {
  readonly id: number;
  readonly createdAt: Date;
  /** The first comment of the thread; undefined if this is the first. */
  readonly threadId?: number | undefined;
  readonly author: string;
  /** Whether the author may write to the repository or is a member of the organization that owns it. */
  readonly isByMember: boolean;
  /** Markdown. */
  readonly body: string;
  /** The path from the repository's root. */
  readonly path: string;
  /** The line's number; undefined if the line is no longer in the pull request. */
  readonly line?: number | undefined;
  /** The diff hunk that contains the line, up to that line. */
  readonly diff: string;
}

/** An open pull request, from the same repository or a fork. */
export interface OpenPullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly author: string;
  /** Whether the author may write to the repository or is a member of the organization that owns it. */
  readonly isByMember: boolean;
  /** Whether the commits come from another repository. */
  readonly isFromFork: boolean;
  readonly headCommit: string;
  /** The short name of the branch with the changes. If `isFromFork` is true, the branch is in the fork. */
  readonly head: string;
  readonly base: string;
  /** The full name of the ref with the head in the project's own repository, such as `refs/pull/1/head`. */
  readonly ref: string;
}

export interface OpenPullRequests {
  /** The newest 200, newest first. */
  readonly pullRequests: readonly OpenPullRequest[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** The service's status for a commit. A new status replaces the previous status, because both are named `octavo`. */
export interface CommitStatus {
  readonly commit: string;
  /** The short name of the branch that contains the commit. GitLab needs it to show the status. */
  readonly branch: string;
  readonly state: "pending" | "success" | "failure";
  /** One line of 1 to 140 characters. */
  readonly description: string;
  /** The address of the page with the details. */
  readonly url: string;
}

/** The service's only comment of its kind on a pull request. */
export interface OwnComment {
  /** A name for this kind of comment: letters, digits, spaces and `_`. It is stored invisibly in the body. */
  readonly mark: string;
  /** Markdown of 1 to 65,000 characters; undefined removes the comment. */
  readonly body: string | undefined;
  /** The comment's ID, if it is known. */
  readonly id?: number | undefined;
}

/** The target to which a host reports pushes and pull request changes. */
export interface HookTarget {
  readonly url: string;
  /** The secret with which the host proves that it sent a report. */
  readonly secret: string;
}

export interface PullRequestQuery {
  readonly head: string;
  /** The base of the pull request. Defaults to any base. */
  readonly base?: string;
  /** With `any`, an open pull request takes precedence, then the newest of the others. */
  readonly state: "open" | "any";
}

/**
 * The features that a host supports. Callers must check them first, because unsupported operations throw; they are
 * never skipped silently.
 */
export interface CodeHostCapabilities {
  readonly supportsDrafts: boolean;
  readonly supportsComments: boolean;
  /** Whether people can comment on lines of a pull request and the service can reply in the thread. */
  readonly supportsLineComments: boolean;
  /** Whether people can write reviews, which can request changes. */
  readonly supportsReviews: boolean;
  readonly supportsLabels: boolean;
  readonly supportsReviewers: boolean;
  /** Whether commits have statuses, which people see next to a pull request. */
  readonly supportsStatuses: boolean;
  /** Whether the service can register a hook, so that the host reports pushes and pull request changes. */
  readonly supportsHooks: boolean;
}

/**
 * Manages the pull requests of projects on one host. An adapter is created once and serves every project on its host.
 * Any state that it keeps for a project may be lost.
 *
 * Every adapter guarantees:
 * - It never pushes, commits or moves a branch. Git pushes to `preparePushTarget`.
 * - `create` is idempotent. One pair of branches never has two open pull requests, even after a crash or with
 *   concurrent calls. A repeated call returns the first pull request unchanged.
 * - States are current. Merged and closed pull requests are found and read like open ones.
 * - No address, log or error contains a token.
 *
 * All methods throw `OctavoError`, whose message is for the person who set up the project: `forbidden` (there is no
 * token, or it lacks the permission), `not_found` (the repository or pull request does not exist, or the token does not
 * grant access to it), `ref_not_found` (the branch does not exist), `conflict` (there is nothing to propose),
 * `invalid_input`, `rate_limited` (with `details.retryAfterSeconds`), `unavailable` (the host does not respond, but
 * trying again may help), `cancelled`.
 */
export interface CodeHost {
  /** The value of a project's `codeHost`. */
  readonly name: CodeHostName;
  readonly capabilities: CodeHostCapabilities;

  /**
   * Returns the repository from which the project's files are read, with the project's credentials or else the host's
   * own, such as a token of the GitHub App. The credentials may expire within an hour.
   */
  readSource(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /**
   * Returns the repository to which the service pushes its branches, with its credentials. The repository contains the
   * project's current branches; a host that keeps a copy updates it first. The credentials may expire within an hour,
   * so this must be called again for each push.
   */
  preparePushTarget(project: CodeHostProject, signal?: AbortSignal): Promise<Repository>;

  /**
   * Lists the rights that the project's login lacks for opening pull requests, as the host names them. The result is
   * empty if the host reports no missing right, although some become apparent only on use. Changes nothing on the host.
   */
  listMissingRights(project: CodeHostProject, signal?: AbortSignal): Promise<readonly string[]>;

  /** Finds a pull request. Returns undefined if no pull request matches. */
  find(
    project: CodeHostProject,
    query: PullRequestQuery,
    signal?: AbortSignal,
  ): Promise<PullRequest | undefined>;

  /**
   * Returns the open pull request for these branches: either the existing pull request, unchanged, or a new pull
   * request.
   */
  create(
    project: CodeHostProject,
    wanted: NewPullRequest,
    signal?: AbortSignal,
  ): Promise<PullRequest>;

  get(project: CodeHostProject, number: number, signal?: AbortSignal): Promise<PullRequest>;

  /** Changes the title or body, even after the pull request has ended. Omitted fields keep their values. */
  update(
    project: CodeHostProject,
    number: number,
    options: { readonly changes: PullRequestChanges; readonly signal?: AbortSignal | undefined },
  ): Promise<PullRequest>;

  /** Adds a comment (Markdown of 1 to 65,536 characters). Not idempotent. */
  addComment(
    project: CodeHostProject,
    number: number,
    options: { readonly body: string; readonly signal?: AbortSignal | undefined },
  ): Promise<void>;

  /**
   * Lists the comments on the pull request as a whole, in order: at least the newest 100. Throws `invalid_input` if the
   * host does not support comments.
   */
  listComments(
    project: CodeHostProject,
    number: number,
    signal?: AbortSignal,
  ): Promise<readonly PullRequestRemark[]>;

  /** Lists the reviews like `listComments`. Throws `invalid_input` if the host does not support reviews. */
  listReviews(
    project: CodeHostProject,
    number: number,
    signal?: AbortSignal,
  ): Promise<readonly Review[]>;

  /**
   * Lists the comments on lines, the newest 500, in order. Throws `invalid_input` if the host does not support them.
   */
  listLineComments(
    project: CodeHostProject,
    number: number,
    signal?: AbortSignal,
  ): Promise<readonly ThreadComment[]>;

  /** Replies in the thread of a comment, like `comment`. Not idempotent. */
  replyToLineComment(
    project: CodeHostProject,
    number: number,
    options: {
      readonly threadId: number;
      readonly body: string;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<void>;

  /**
   * Adds labels and requests reviews. Existing labels and requests remain. Idempotent. Throws `invalid_input` if the
   * host does not support them. A rejected item does not prevent the others. Returns a sentence for each rejection.
   */
  addExtras(
    project: CodeHostProject,
    number: number,
    options: { readonly extras: PullRequestExtras; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly string[]>;

  /** Lists the open pull requests, including those from forks. */
  listOpen(project: CodeHostProject, signal?: AbortSignal): Promise<OpenPullRequests>;

  /**
   * Sets the status of a commit of a pull request. Setting it again changes nothing. Throws `invalid_input` if the host
   * does not support statuses.
   */
  setStatus(project: CodeHostProject, status: CommitStatus, signal?: AbortSignal): Promise<void>;

  /**
   * Adds, changes or removes the service's comment with this mark, and returns its ID, or undefined if it was removed.
   * Comments by other logins are ignored, even if they contain the same mark. Idempotent: after a lost response or a
   * crash, the next call finds the existing comment and removes others with its mark. Concurrent calls may add two.
   */
  setComment(
    project: CodeHostProject,
    number: number,
    options: { readonly comment: OwnComment; readonly signal?: AbortSignal | undefined },
  ): Promise<number | undefined>;

  /**
   * Makes the host report pushes and pull request changes to an address, with this secret. Idempotent. Throws
   * `invalid_input` if the host does not support hooks.
   */
  ensureHook(project: CodeHostProject, hook: HookTarget, signal?: AbortSignal): Promise<void>;

  /** Removes the hook with this address, if there is one. Throws in the same cases as `ensureHook`. */
  removeHook(project: CodeHostProject, url: string, signal?: AbortSignal): Promise<void>;

  /**
   * Returns the address of the pull request's web page. Neither contacts the host nor checks whether the pull request
   * exists.
   */
  formatPullRequestUrl(project: CodeHostProject, number: number): string;
}
