import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { isOwnCodeHost } from "../../core/index.ts";
import type { SignedInUser, Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { CodeHostProject, PullRequest, PullRequestState } from "../../reviews/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import {
  renderEmptyNote,
  renderOlderLink,
  renderPageHead,
  renderStatusBadge,
} from "../pages/parts.ts";
import { sendProjectPage, findProject, readBefore } from "./project-page.ts";

const pageSize = 30;

const State = z.object({ state: z.enum(["open", "merged", "closed"]).catch("open") });
const Merge = z.object({
  headCommit: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/, "The form is invalid. Open the pull request again."),
});

export function addPullRequestPages(app: FastifyInstance, services: DashboardServices): void {
  const { reviews, projects, addresses } = services;
  const path = "/projects/:projectId/pulls";
  const readCodeHostProject = async ({ id, repository }: Project): Promise<CodeHostProject> => ({
    id,
    repository,
    credentials: await projects.readCredentials(id),
  });

  app.get(path, createPageOptions("pulls.read"), async (request, reply) => {
    const { project } = await findHostedProject(services, request);
    const { state } = State.parse(request.query);
    const before = readBefore(request);
    const query = {
      state,
      limit: pageSize + 1,
      ...(before !== undefined && { before: parsePullNumber(before) }),
    };
    const matches = await reviews.list(project.id, query);
    const pullRequests = matches.slice(0, pageSize);
    const next = matches.length > pageSize ? (pullRequests.at(-1)?.number ?? null) : null;
    return sendProjectPage(services, request, reply, {
      project,
      tab: "pulls",
      title: "Pull requests",
      main: renderPullRequestsPage(addresses, { project, state, pullRequests, next }),
    });
  });

  app.post(`${path}/:number/merge`, createPageOptions("pulls.write"), async (request, reply) => {
    const { project, number, user } = await findPullRequest(services, request);
    const { headCommit } = parseForm(Merge, request.body);
    const { pullRequest, ...page } = await reviews.describe(project.id, number);
    if (pullRequest.state === "open" && page.headCommit !== headCommit)
      throw createNewCommitsError(number);
    const record = createRecorder(services, user, { act: "merged", project, number });
    await reviews.merge(await readCodeHostProject(project), number, toGitPerson(user), record);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });

  app.post(`${path}/:number/revert`, createPageOptions("pulls.write"), async (request, reply) => {
    const { project, number, user } = await findPullRequest(services, request);
    const revertingPullRequest = await reviews.revert(
      await readCodeHostProject(project),
      number,
      toGitPerson(user),
    );
    await services.audit.record(user, {
      ...toPullRequestEvent({ act: "reverted", project, number }),
      details: { revertedBy: `#${revertingPullRequest.number}` },
    });
    return reply.redirect(addresses.pull(project.id, revertingPullRequest.number), 303);
  });

  app.post(`${path}/:number/ready`, createPageOptions("pulls.write"), async (request, reply) => {
    const { project, number, user } = await findPullRequest(services, request);
    await reviews.markReady(project.id, number);
    const event = toPullRequestEvent({ act: "made_ready", project, number });
    await services.audit.record(user, event);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });

  app.post(`${path}/:number/close`, createPageOptions("pulls.write"), async (request, reply) => {
    const { project, number, user } = await findPullRequest(services, request);
    const record = createRecorder(services, user, { act: "closed", project, number });
    await reviews.close(project.id, number, record);
    return reply.redirect(addresses.pull(project.id, number), 303);
  });
}

/** Finds the project like `findProject`. Also throws `not_found` if the project's pull requests are on another host. */
async function findHostedProject({ projects }: DashboardServices, request: FastifyRequest) {
  const result = await findProject(projects, request);
  if (isOwnCodeHost(result.project.codeHost)) return result;
  throw new OctavoError(
    "not_found",
    "The pull requests of this project are on its repository's code host.",
  );
}

export async function findPullRequest(services: DashboardServices, request: FastifyRequest) {
  const { number } = request.params as { readonly number: string };
  return { ...(await findHostedProject(services, request)), number: parsePullNumber(number) };
}

function parsePullNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new OctavoError("not_found", "This pull request does not exist.");
}

/** Returns the person as a commit author. Without a verified email address, an address that cannot exist is used. */
export function toGitPerson({ actor }: SignedInUser) {
  return { name: actor.name, email: actor.email ?? `${actor.id}@octavo.invalid` };
}

interface PullRequestAct {
  readonly act: "merged" | "reverted" | "closed" | "commented" | "made_ready";
  readonly project: Project;
  readonly number: number;
}

function createRecorder({ audit }: DashboardServices, user: SignedInUser, act: PullRequestAct) {
  return audit.createRecorder(user, toPullRequestEvent(act));
}

export function toPullRequestEvent({ act, project, number }: PullRequestAct) {
  const target = { id: String(number), name: `${project.name} #${number}` };
  return { action: `pull_request.${act}`, target, projectId: project.id } as const;
}

function createNewCommitsError(number: number): OctavoError {
  return new OctavoError(
    "conflict",
    `Pull request ${number} has new commits since you opened the page. Review them, then merge.`,
  );
}

interface PullRequestsView {
  readonly project: Project;
  readonly state: PullRequestState;
  readonly pullRequests: readonly PullRequest[];
  /** The `before` parameter of the next page; null on the last page. */
  readonly next: number | null;
}

const states: readonly PullRequestState[] = ["open", "merged", "closed"];

function renderPullRequestsPage(addresses: Addresses, view: PullRequestsView): SafeHtml {
  const { project, state, pullRequests, next } = view;
  const address = addresses.pulls(project.id);
  const filters = states.map(
    (one) =>
      safeHtml`<a href="${address}?state=${one}" ${one === state && safeHtml`aria-current="true"`}
        >${one}</a
      >`,
  );
  return safeHtml`${renderPageHead([], "Pull requests")}
    <nav class="filters" aria-label="State">${filters}</nav>
    ${pullRequests.length === 0 && renderEmptyNote(`No ${state} pull requests.`)}
    <ul class="rows">
      ${pullRequests.map(
        ({ number, title, head, base, isDraft, createdAt }) =>
          safeHtml`<li class="row">
            <a class="row-main" href="${addresses.pull(project.id, number)}">
              ${renderStatusBadge(state)}
              <span class="row-title">${title}</span>
            </a>
            <span class="row-facts">
              <span>#${number}</span>
              ${isDraft && safeHtml`<span>draft</span>`}
              <span><code>${head}</code> → <code>${base}</code></span>
              <span>${renderRelativeTime(createdAt)}</span>
            </span>
          </li>`,
      )}
    </ul>
    ${renderOlderLink(`${address}?state=${state}`, next, "Older pull requests")}`;
}
