import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { KeyHolder, Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { readForm } from "../form.ts";
import { hidden } from "../hidden.ts";
import { pullRequestPage } from "../pages/pull-request.ts";
import { pullRequestsPage } from "../pages/pull-requests.ts";
import { findProject, readBefore, within } from "./scope.ts";

const pullsShown = 30;
const commentsShown = 100;

const State = z.object({ state: z.enum(["open", "merged", "closed"]).catch("open") });
const Merge = z.object({
  headCommit: z.string().regex(/^[0-9a-f]{40,64}$/, "Open the pull request again."),
});

export function addPullRequestPages(app: FastifyInstance, services: DashboardServices): void {
  const { localHost, addresses, sendPage } = services;
  const path = "/projects/:projectId/pulls";

  app.get(path, hidden, async (request, reply) => {
    const { project } = await findHostedProject(services, request);
    const { state } = State.parse(request.query);
    const before = readBefore(request);
    const query = {
      state,
      limit: pullsShown + 1,
      ...(before !== undefined && { before: numberOf(before) }),
    };
    const found = await localHost.list(project.id, query);
    const pullRequests = found.slice(0, pullsShown);
    const next = found.length > pullsShown ? (pullRequests.at(-1)?.number ?? null) : null;
    return sendPage(request, reply, {
      title: `Pull requests of ${project.name}`,
      section: "projects",
      main: pullRequestsPage(addresses, { project, state, pullRequests, next }),
    });
  });

  app.get(`${path}/:number`, hidden, async (request, reply) => {
    const { project, number } = await findPullRequest(services, request);
    const page = await localHost.describe(hosted(project), number);
    const [comments, preview] = await Promise.all([
      localHost.listComments(project.id, number, commentsShown),
      services.staticExports.findNewest(within(project), page.pullRequest.head),
    ]);
    return sendPage(request, reply, {
      title: page.pullRequest.title,
      section: "projects",
      main: pullRequestPage(addresses, { project, page, comments, preview: preview?.job }),
    });
  });

  app.post(`${path}/:number/merge`, hidden, async (request, reply) => {
    const { project, number, holder } = await findPullRequest(services, request);
    const { headCommit } = readForm(Merge, request.body);
    const page = await localHost.describe(hosted(project), number);
    if (page.pullRequest.state === "open" && page.headCommit !== headCommit)
      throw movedSince(number);
    await localHost.merge(hosted(project), number, personOf(holder));
    return reply.redirect(addresses.pull(project.id, number), 303);
  });

  app.post(`${path}/:number/close`, hidden, async (request, reply) => {
    const { project, number } = await findPullRequest(services, request);
    await localHost.close(hosted(project), number);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });
}

/** Projects whose pull requests are on another host have no such pages. */
async function findHostedProject({ projects }: DashboardServices, request: FastifyRequest) {
  const found = await findProject(projects, request);
  if (found.project.codeHost === "local") return found;
  throw new OctavoError(
    "not_found",
    "The pull requests of this project are on the code host that its repository lies on.",
  );
}

async function findPullRequest(services: DashboardServices, request: FastifyRequest) {
  const { number } = request.params as { readonly number: string };
  return { ...(await findHostedProject(services, request)), number: numberOf(number) };
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OctavoError("not_found", "There is no such pull request.");
}

function hosted({ id, repository }: Project) {
  return { id, repository };
}

/** Keys are all that the service knows of people. */
function personOf({ keyName, keyId }: KeyHolder) {
  return { name: keyName, email: `${keyId}@octavo.invalid` };
}

function movedSince(number: number): OctavoError {
  return new OctavoError(
    "conflict",
    `Pull request ${number} has got new commits since the page was opened; look at them, and merge then.`,
  );
}
