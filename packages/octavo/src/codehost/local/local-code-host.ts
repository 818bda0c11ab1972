import { isHostedHere, toRemoteRepository } from "../../hosting/index.ts";
import type { Hosting } from "../../hosting/index.ts";
import type { CodeHost, CodeHostProject } from "../code-host.ts";
import { createCodeHost, maxListedPullRequests } from "../create-code-host.ts";
import type { PullRequests } from "./pull-requests.ts";

export interface LocalCodeHostOptions {
  readonly hosting: Hosting;
  readonly pullRequests: PullRequests;
  /** The name of the author of the pull requests that the service opens. */
  readonly author: string;
}

/** The maximum number of comments to list. Only the newest comments are listed. */
const maxComments = 100;

/**
 * Creates the service's own code host. For a project with an external repository, branches are pushed to the service's
 * copy, which follows that repository except for the service's own branches.
 */
export function createLocalCodeHost({
  hosting,
  pullRequests,
  author,
}: LocalCodeHostOptions): CodeHost {
  return createCodeHost<CodeHostProject>({
    name: "local",
    label: "this service",
    call: (project, _signal, work) => work(project),
    formatPullRequestUrl: ({ id }, number) => pullRequests.formatUrl(id, number),
    async readSource(project, signal) {
      if (isHostedHere(project)) return await hosting.prepare(project, signal);
      return toRemoteRepository(project);
    },
    preparePushTarget: (project, signal) => hosting.prepare(project, signal),
    operations: {
      // The service itself opens its pull requests.
      listMissingRights: () => Promise.resolve([]),
      async find({ id }, { head, base, state }) {
        const open = await pullRequests.findOpen(id, { head, base });
        if (open || state === "open") return open?.pullRequest;
        const [newest] = await pullRequests.list(id, { head, base, limit: 1 });
        return newest?.pullRequest;
      },
      async create({ id }, wanted) {
        return (await pullRequests.findOrCreate(id, { ...wanted, author })).pullRequest;
      },
      async get({ id }, number) {
        return (await pullRequests.read(id, number)).pullRequest;
      },
      async update({ id }, number, changes) {
        return (await pullRequests.change(id, number, changes)).pullRequest;
      },
      comment: ({ id }, number, body) => pullRequests.addComment(id, number, { author, body }),
      async listComments({ id }, number) {
        const comments = await pullRequests.listComments(id, number, maxComments);
        // Only people with rights in the project can comment here.
        return comments.map((comment) => ({ ...comment, isByMember: true }));
      },
      async listOpen({ id }) {
        const listed = await pullRequests.list(id, {
          state: "open",
          limit: maxListedPullRequests + 1,
        });
        const open = listed.slice(0, maxListedPullRequests).map((pull) => {
          const { number, url, title, head, base } = pull.pullRequest;
          const ref = `refs/heads/${head}`;
          const origin = { isByMember: true, isFromFork: false, author: pull.author };
          return { number, url, title, head, base, ref, headCommit: pull.headCommit, ...origin };
        });
        return { pullRequests: open, hasMore: listed.length > maxListedPullRequests };
      },
      openOwnComments: ({ id }, number) => pullRequests.openOwnComments(id, number, author),
    },
  });
}
