import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { KeyHolder, Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { readForm } from "../form.ts";
import { hiddenFromApiDocs } from "../hidden.ts";
import { pullRequestsPage } from "../pages/pull-requests.ts";
import { findProject, readBefore } from "./scope.ts";

const pageSize = 30;

const State = z.object({ state: z.enum(["open", "merged", "closed"]).catch("open") });
const Merge = z.object({
  headCommit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "The form is invalid; open the pull request again."),
});

export function addPullRequestPages(app: FastifyInstance, services: DashboardServices): void {
  const { localHost, addresses, sendPage } = services;
  const path = "/projects/:projectId/pulls";

  app.get(path, hiddenFromApiDocs, async (request, reply) => {
    const { project } = await findHostedProject(services, request);
    const { state } = State.parse(request.query);
    const before = readBefore(request);
    const query = {
      state,
      limit: pageSize + 1,
      ...(before !== undefined && { before: numberOf(before) }),
    };
    const found = await localHost.list(project.id, query);
    const pullRequests = found.slice(0, pageSize);
    const next = found.length > pageSize ? (pullRequests.at(-1)?.number ?? null) : null;
    return sendPage(request, reply, {
      title: `Pull requests of ${project.name}`,
      section: "projects",
      main: pullRequestsPage(addresses, { project, state, pullRequests, next }),
    });
  });

  app.post(`${path}/:number/merge`, hiddenFromApiDocs, async (request, reply) => {
    const { project, number, holder } = await findPullRequest(services, request);
    const { headCommit } = readForm(Merge, request.body);
    const { pullRequest, ...page } = await localHost.describe(hosted(project), number);
    if (pullRequest.state === "open" && page.headCommit !== headCommit) throw newCommits(number);
    await localHost.merge(hosted(project), number, personOf(holder));
    return reply.redirect(addresses.pull(project.id, number), 303);
  });

  app.post(`${path}/:number/ready`, hiddenFromApiDocs, async (request, reply) => {
    const { project, number } = await findPullRequest(services, request);
    await localHost.markReady(hosted(project), number);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });

  app.post(`${path}/:number/close`, hiddenFromApiDocs, async (request, reply) => {
    const { project, number } = await findPullRequest(services, request);
    await localHost.close(hosted(project), number);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });
}

/** Throws `not_found` for a project whose pull requests are on another host. */
async function findHostedProject({ projects }: DashboardServices, request: FastifyRequest) {
  const found = await findProject(projects, request);
  if (found.project.codeHost === "local") return found;
  throw new OctavoError(
    "not_found",
    "The pull requests of this project are on its repository's code host.",
  );
}

export async function findPullRequest(services: DashboardServices, request: FastifyRequest) {
  const { number } = request.params as { readonly number: string };
  return { ...(await findHostedProject(services, request)), number: numberOf(number) };
}

function numberOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OctavoError("not_found", "There is no such pull request.");
}

export function hosted({ id, repository }: Project) {
  return { id, repository };
}

/** The service identifies people only by their keys. */
export function personOf({ keyName, keyId }: KeyHolder) {
  return { name: keyName, email: `${keyId}@octavo.invalid` };
}

function newCommits(number: number): OctavoError {
  return new OctavoError(
    "conflict",
    `Pull request ${number} has new commits since the page was opened; review them, then merge.`,
  );
}
