import { createInputError, isOctavoError } from "@octavo/site/core";
import { checkChanges, checkComment, checkNewPullRequest, checkNumber } from "./check-text.ts";
import type {
  CodeHost,
  CodeHostProject,
  CommitStatus,
  HookTarget,
  NewPullRequest,
  OpenPullRequests,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  PullRequestRemark,
  Review,
  ThreadComment,
  OwnComment,
} from "./code-host.ts";
import { isRefName } from "../core/index.ts";

export const maxListedPullRequests = 200;
/** The name under which the service's commit status appears. */
export const statusName = "octavo";

const maxStatusLength = 140;

/** The comments of the project's own login on a pull request. */
export interface OwnCommentStore {
  /** Lists the comments, oldest first. Omits comments by others, even if they contain the same mark. */
  list(): Promise<readonly { readonly id: number; readonly body: string }[]>;
  /** Adds a comment and returns its ID. Does not retry, because a comment could be added twice. */
  add(body: string): Promise<number>;
  /** Throws `not_found` if the comment no longer exists. */
  edit(id: number, body: string): Promise<void>;
  remove(id: number): Promise<void>;
}

/**
 * The operations of one host, which receive validated values. A `Call` contains the project's repository, its login and
 * the signal. Operations that the host does not support are omitted.
 */
export interface CodeHostOperations<Call> {
  readonly listMissingRights: (call: Call) => Promise<readonly string[]>;
  readonly find: (call: Call, query: PullRequestQuery) => Promise<PullRequest | undefined>;
  readonly create: (call: Call, wanted: NewPullRequest) => Promise<PullRequest>;
  readonly get: (call: Call, number: number) => Promise<PullRequest>;
  readonly update: (
    call: Call,
    number: number,
    changes: PullRequestChanges,
  ) => Promise<PullRequest>;
  readonly comment: (call: Call, number: number, body: string) => Promise<void>;
  readonly listComments: (call: Call, number: number) => Promise<readonly PullRequestRemark[]>;
  readonly listReviews?: (call: Call, number: number) => Promise<readonly Review[]>;
  readonly listLineComments?: (call: Call, number: number) => Promise<readonly ThreadComment[]>;
  readonly answerLineComment?: (call: Call, number: number, answer: ThreadAnswer) => Promise<void>;
  readonly addExtras?: (
    call: Call,
    number: number,
    extras: PullRequestExtras,
  ) => Promise<readonly string[]>;
  readonly listOpen: (call: Call) => Promise<OpenPullRequests>;
  readonly setStatus?: (call: Call, status: CommitStatus) => Promise<void>;
  readonly openOwnComments: (call: Call, number: number) => OwnCommentStore;
  readonly hooks?: HookOperations<Call>;
}

/** The functions that run the operations of one host. */
interface Runner<Call> extends Pick<CodeHostParts<Call>, "call" | "operations"> {
  /** Runs an operation on a pull request. Throws `not_found` for an invalid number. */
  readonly callOn: <T>(
    project: CodeHostProject,
    number: number,
    signal: AbortSignal | undefined,
    operation: (call: Call, number: number) => Promise<T>,
  ) => Promise<T>;
  /** Returns the operation, or throws `invalid_input` if the host does not support it. */
  readonly requireSupport: <Operation>(operation: Operation | undefined, what: string) => Operation;
}

interface HookOperations<Call> {
  readonly ensure: (call: Call, hook: HookTarget) => Promise<void>;
  readonly remove: (call: Call, url: string) => Promise<void>;
}

export interface ThreadAnswer {
  readonly threadId: number;
  readonly body: string;
}

export interface CodeHostParts<Call> extends Pick<
  CodeHost,
  "name" | "formatPullRequestUrl" | "readSource" | "preparePushTarget"
> {
  /** The host's name in messages, such as `GitLab`. */
  readonly label: string;
  readonly operations: CodeHostOperations<Call>;
  /** Runs `work` on the project's repository. */
  readonly call: <T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: Call) => Promise<T>,
  ) => Promise<T>;
}

/** Creates a code host that performs the checks common to all hosts before it contacts the host. */
export function createCodeHost<Call>({
  label,
  operations,
  call,
  ...addresses
}: CodeHostParts<Call>): CodeHost {
  const runner: Runner<Call> = {
    call,
    operations,
    async callOn(project, number, signal, operation) {
      checkNumber(number);
      return await call(project, signal, (opened) => operation(opened, number));
    },
    requireSupport(operation, what) {
      if (operation !== undefined) return operation;
      throw createInputError(`Pull requests on ${label} do not support ${what}.`);
    },
  };
  const { listReviews, listLineComments, addExtras, setStatus, hooks } = operations;
  return {
    ...addresses,
    capabilities: {
      supportsDrafts: true,
      supportsComments: true,
      supportsLineComments: listLineComments !== undefined,
      supportsReviews: listReviews !== undefined,
      supportsLabels: addExtras !== undefined,
      supportsReviewers: addExtras !== undefined,
      supportsStatuses: setStatus !== undefined,
      supportsHooks: hooks !== undefined,
    },
    ...createProposalMethods(runner),
    ...createCommentMethods(runner),
    ...createReportMethods(runner),
  };
}

type ProposalMethods = Pick<
  CodeHost,
  "listMissingRights" | "find" | "create" | "get" | "update" | "addExtras"
>;

function createProposalMethods<Call>({
  operations,
  call,
  callOn,
  requireSupport,
}: Runner<Call>): ProposalMethods {
  return {
    listMissingRights: (project, signal) => call(project, signal, operations.listMissingRights),
    find: (project, query, signal) =>
      call(project, signal, (opened) => operations.find(opened, query)),
    async create(project, wanted, signal) {
      checkNewPullRequest(wanted);
      return await call(project, signal, (opened) => operations.create(opened, wanted));
    },
    get: (project, number, signal) => callOn(project, number, signal, operations.get),
    async update(project, number, { changes, signal }) {
      checkChanges(changes);
      return await callOn(project, number, signal, (opened) =>
        operations.update(opened, number, changes),
      );
    },
    async addExtras(project, number, { extras, signal }) {
      if (extras.labels.length + extras.reviewers.length === 0) return [];
      const add = requireSupport(operations.addExtras, "labels or reviewers");
      return await callOn(project, number, signal, (opened) => add(opened, number, extras));
    },
  };
}

type CommentMethods = Pick<
  CodeHost,
  | "addComment"
  | "listComments"
  | "listReviews"
  | "listLineComments"
  | "replyToLineComment"
  | "setComment"
>;

function createCommentMethods<Call>({
  operations,
  callOn,
  requireSupport,
}: Runner<Call>): CommentMethods {
  return {
    async addComment(project, number, { body, signal }) {
      checkComment(body);
      await callOn(project, number, signal, (opened) => operations.comment(opened, number, body));
    },
    listComments: (project, number, signal) =>
      callOn(project, number, signal, operations.listComments),
    async listReviews(project, number, signal) {
      const list = requireSupport(operations.listReviews, "reviews");
      return await callOn(project, number, signal, list);
    },
    async listLineComments(project, number, signal) {
      const list = requireSupport(operations.listLineComments, "comments on lines");
      return await callOn(project, number, signal, list);
    },
    async replyToLineComment(project, number, { signal, ...answer }) {
      const send = requireSupport(operations.answerLineComment, "comments on lines");
      checkComment(answer.body);
      await callOn(project, number, signal, (opened) => send(opened, number, answer));
    },
    async setComment(project, number, { comment, signal }) {
      checkOwnComment(comment);
      return await callOn(project, number, signal, (opened) =>
        syncOwnComment(operations.openOwnComments(opened, number), comment),
      );
    },
  };
}

type ReportMethods = Pick<CodeHost, "listOpen" | "setStatus" | "ensureHook" | "removeHook">;

function createReportMethods<Call>({
  operations,
  call,
  requireSupport,
}: Runner<Call>): ReportMethods {
  return {
    listOpen: (project, signal) => call(project, signal, operations.listOpen),
    async setStatus(project, status, signal) {
      const set = requireSupport(operations.setStatus, "statuses");
      checkStatus(status);
      await call(project, signal, (opened) => set(opened, status));
    },
    async ensureHook(project, hook, signal) {
      const { ensure } = requireSupport(operations.hooks, "hooks");
      await call(project, signal, (opened) => ensure(opened, hook));
    },
    async removeHook(project, url, signal) {
      const { remove } = requireSupport(operations.hooks, "hooks");
      await call(project, signal, (opened) => remove(opened, url));
    },
  };
}

/** Throws `invalid_input` for a status that a host would reject or truncate. */
function checkStatus({ commit, description, branch }: CommitStatus): void {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit) || !isRefName(branch)) {
    throw createInputError("A status needs the full hash of a commit and the name of its branch.");
  }
  const isLine = /^[^\n\r\0]*\S[^\n\r\0]*$/.test(description);
  if (isLine && description.length <= maxStatusLength) return;
  throw createInputError(
    `The description of a status must be one line of 1 to ${maxStatusLength} characters.`,
  );
}

/**
 * Throws `invalid_input` for a comment whose mark could not be hidden in its body, or whose body is empty or too long.
 */
function checkOwnComment({ mark, body }: OwnComment): void {
  if (!/^\w+(?: \w+)*$/.test(mark)) {
    throw createInputError(
      `The mark ${JSON.stringify(mark)} may contain only letters, digits, _ and single spaces.`,
    );
  }
  if (body !== undefined) checkComment(appendMark(mark, body));
}

/** Appends the mark to the body of a comment as an HTML comment, which readers do not see. */
function appendMark(mark: string, body = ""): string {
  return `${body}\n\n<!-- ${mark} -->`;
}

/** Implements `CodeHost.setComment`. */
async function syncOwnComment(
  comments: OwnCommentStore,
  { mark, body, id }: OwnComment,
): Promise<number | undefined> {
  const text = body === undefined ? undefined : appendMark(mark, body);
  if (id !== undefined && text !== undefined) {
    try {
      await comments.edit(id, text);
      return id;
    } catch (error) {
      // Somebody has deleted the comment.
      if (!isOctavoError(error, "not_found")) throw error;
    }
  }
  const suffix = appendMark(mark).trimStart();
  const ownComments = await comments.list();
  const matches = ownComments.filter((comment) => comment.body.trimEnd().endsWith(suffix));
  const [first, ...others] = matches;
  for (const other of text === undefined ? matches : others)
    await removeComment(comments, other.id);
  if (text === undefined) return undefined;
  if (!first) return await comments.add(text);
  if (first.body !== text) await comments.edit(first.id, text);
  return first.id;
}

async function removeComment(comments: OwnCommentStore, id: number): Promise<void> {
  try {
    await comments.remove(id);
  } catch (error) {
    if (!isOctavoError(error, "not_found")) throw error;
  }
}
