import { createInputError } from "@octavo/site/core";
import { checkChanges, checkComment, checkNewPullRequest, checkNumber } from "./check-text.ts";
import type {
  CodeHost,
  CodeHostProject,
  NewPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  Remark,
  Review,
  ThreadComment,
} from "./code-host.ts";

/**
 * The operations of one host, with checked values. A call has the project's repository, its login and the signal. An
 * operation that is left out is one that the host does not support.
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
  readonly listComments: (call: Call, number: number) => Promise<readonly Remark[]>;
  readonly listReviews?: (call: Call, number: number) => Promise<readonly Review[]>;
  readonly listLineComments?: (call: Call, number: number) => Promise<readonly ThreadComment[]>;
  readonly answerLineComment?: (call: Call, number: number, answer: ThreadAnswer) => Promise<void>;
  readonly addExtras?: (
    call: Call,
    number: number,
    extras: PullRequestExtras,
  ) => Promise<readonly string[]>;
}

export interface ThreadAnswer {
  readonly threadId: number;
  readonly body: string;
}

export interface CodeHostParts<Call> extends Pick<
  CodeHost,
  "name" | "pullRequestUrl" | "readSource" | "pushTarget"
> {
  /** The host's name in sentences, such as `GitLab`. */
  readonly label: string;
  readonly operations: CodeHostOperations<Call>;
  /** Runs `work` on the project's repository. */
  readonly call: <T>(
    project: CodeHostProject,
    signal: AbortSignal | undefined,
    work: (call: Call) => Promise<T>,
  ) => Promise<T>;
}

/** Creates a code host that checks what every host has to check, before it contacts the host. */
export function createCodeHost<Call>({
  label,
  operations,
  call,
  ...addresses
}: CodeHostParts<Call>): CodeHost {
  const { listReviews, listLineComments, answerLineComment, addExtras } = operations;

  async function callOn<T>(
    project: CodeHostProject,
    number: number,
    signal: AbortSignal | undefined,
    operation: (call: Call, number: number) => Promise<T>,
  ): Promise<T> {
    checkNumber(number);
    return await call(project, signal, (opened) => operation(opened, number));
  }

  function requireSupport<Operation>(operation: Operation | undefined, what: string): Operation {
    if (operation !== undefined) return operation;
    throw createInputError(`Pull requests on ${label} do not support ${what}.`);
  }

  return {
    ...addresses,
    capabilities: {
      supportsDrafts: true,
      supportsComments: true,
      supportsLineComments: listLineComments !== undefined,
      supportsReviews: listReviews !== undefined,
      supportsLabels: addExtras !== undefined,
      supportsReviewers: addExtras !== undefined,
    },
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
    async comment(project, number, { body, signal }) {
      checkComment(body);
      await callOn(project, number, signal, (opened) => operations.comment(opened, number, body));
    },
    listComments: (project, number, signal) =>
      callOn(project, number, signal, operations.listComments),
    async listReviews(project, number, signal) {
      return await callOn(project, number, signal, requireSupport(listReviews, "reviews"));
    },
    async listLineComments(project, number, signal) {
      const list = requireSupport(listLineComments, "comments on lines");
      return await callOn(project, number, signal, list);
    },
    async answerLineComment(project, number, { signal, ...answer }) {
      const send = requireSupport(answerLineComment, "comments on lines");
      checkComment(answer.body);
      await callOn(project, number, signal, (opened) => send(opened, number, answer));
    },
    async addExtras(project, number, { extras, signal }) {
      if (extras.labels.length + extras.reviewers.length === 0) return [];
      const add = requireSupport(addExtras, "labels or reviewers");
      return await callOn(project, number, signal, (opened) => add(opened, number, extras));
    },
  };
}
