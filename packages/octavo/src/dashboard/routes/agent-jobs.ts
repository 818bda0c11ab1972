import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError, type OctavoError } from "@octavo/site/core";
import { hasRight, parseAgentBranch, formatCount } from "../../core/index.ts";
import {
  agentJobStatuses,
  isBlankPrompt,
  isWithinPromptLimit,
  maxPromptLength,
  rateLimit,
  type AgentJob,
  type AgentJobStatus,
  type RateKind,
  type RateState,
} from "../../jobs/index.ts";
import { canExport, type SignedInUser, type Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderAgentJobList, type ListedAgentJob } from "../pages/agent-job-list.ts";
import { renderAgentJobForm, type RejectedPrompt } from "../pages/prompt-form.ts";
import { getJobTitle } from "../format.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import {
  renderEmptyNote,
  renderOlderLink,
  renderLiveRegion,
  renderPageHead,
} from "../pages/parts.ts";
import { sendProjectPage, findProject, readBefore, toProjectScope } from "./project-page.ts";

const pageSize = 30;
/**
 * The maximum number of shown steps. A browser lays out this many without a noticeable delay, and a turn has at most a
 * few hundred.
 */
const maxSteps = 500;

const Prompt = z.object({
  prompt: z
    .string({ error: "Write what the agent should do." })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .refine((text) => !isBlankPrompt(text), "Write what the agent should do.")
    .refine(
      isWithinPromptLimit,
      `An instruction can have at most ${formatCount(maxPromptLength, "character")}.`,
    )
    .refine(
      (text) => text.isWellFormed() && !text.includes("\0"),
      "The instruction contains invalid characters.",
    ),
});
const Query = z.object({
  status: z.enum(agentJobStatuses).optional().catch(undefined),
  /** The initial text of the form, taken from a link. The user reads it before sending it. */
  prompt: z.string().max(maxPromptLength).optional().catch(undefined),
});
const Seen = z.object({ seen: z.string().optional().catch(undefined) });

export function addAgentJobPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, agentJobs, addresses } = services;
  const path = "/projects/:projectId/agent";

  app.get(path, createPageOptions("agent.read"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    return sendList(services, request, { reply, project });
  });

  app.post(path, createPageOptions("agent.run"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    try {
      const { prompt } = parseForm(Prompt, request.body);
      const { job } = await agentJobs.create(
        toProjectScope(project, getSignedInUser(request)),
        prompt,
      );
      return await reply.redirect(addresses.agentJob(project.id, job.id), 303);
    } catch (error) {
      const refused = rejectPrompt(services, reply, { error, kind: "jobs", body: request.body });
      return await sendList(services, request, { reply, project, refused });
    }
  });

  app.get(`${path}/:jobId`, createPageOptions("agent.read"), async (request, reply) => {
    const { project, jobId } = await findJob(services, request);
    return sendJob(services, request, { reply, project, jobId });
  });

  app.post(`${path}/:jobId/message`, createPageOptions("agent.run"), async (request, reply) => {
    const { project, jobId } = await findJob(services, request);
    try {
      const { prompt } = parseForm(Prompt, request.body);
      await agentJobs.addMessage(toProjectScope(project, getSignedInUser(request)), jobId, {
        prompt,
      });
      return await reply.redirect(addresses.agentJob(project.id, jobId), 303);
    } catch (error) {
      const refused = rejectPrompt(services, reply, {
        error,
        kind: "messages",
        body: request.body,
      });
      return await sendJob(services, request, { reply, project, jobId, refused });
    }
  });

  for (const action of ["cancel", "archive"] as const) {
    app.post(`${path}/:jobId/${action}`, createPageOptions("agent.run"), async (request, reply) => {
      const { project, jobId } = await findJob(services, request);
      await agentJobs[action](toProjectScope(project, getSignedInUser(request)), jobId);
      return reply.redirect(addresses.agentJob(project.id, jobId), 303);
    });
  }
}

async function findJob({ projects }: DashboardServices, request: FastifyRequest) {
  const { project } = await findProject(projects, request);
  const { jobId } = request.params as { readonly jobId: string };
  return { project, jobId };
}

interface Refusal {
  readonly error: unknown;
  readonly kind: RateKind;
  readonly body: unknown;
}

/** Returns the form's error for a rejected instruction. Other errors are shown on a separate page. */
function rejectPrompt(
  { toErrorResponse }: DashboardServices,
  reply: FastifyReply,
  { error, kind, body }: Refusal,
): RejectedPrompt {
  if (!isOctavoError(error)) throw error;
  const isRateLimit = error.code === "rate_limited";
  if (!isRateLimit && error.code !== "invalid_input") throw error;
  const { status, headers } = toErrorResponse(error);
  reply.code(status).headers(headers);
  const { prompt } = (body ?? {}) as { readonly prompt?: unknown };
  const text = typeof prompt === "string" ? prompt : "";
  return { text, sentence: isRateLimit ? formatRateLimitMessage(error, kind) : error.message };
}

const callDescriptions: Readonly<Record<RateKind, string>> = {
  jobs: "agent jobs were started in this project",
  messages: "messages were sent to this project's agent jobs",
};

function formatRateLimitMessage({ details }: OctavoError, kind: RateKind): string {
  const seconds = details["retryAfterSeconds"];
  const retryAdvice = typeof seconds === "number" ? ` Try again in ${formatMinutes(seconds)}.` : "";
  return `${rateLimit.calls} ${callDescriptions[kind]} in the last 60 minutes, which is the limit.${retryAdvice}`;
}

async function sendList(
  services: DashboardServices,
  request: FastifyRequest,
  {
    reply,
    project,
    refused,
  }: {
    readonly reply: FastifyReply;
    readonly project: Project;
    readonly refused?: RejectedPrompt;
  },
) {
  const { agentJobs, addresses } = services;
  const { status, prompt } = Query.parse(request.query);
  const [jobPage, rate] = await Promise.all([
    agentJobs.list(toProjectScope(project), {
      status,
      limit: pageSize,
      cursor: readBefore(request),
    }),
    agentJobs.readRate(project.id, "jobs"),
  ]);
  const jobs = await addPrompts(services, project, jobPage.jobs);
  const model = project.model ?? agentJobs.defaultModel;
  const next = jobPage.nextCursor;
  const canRun = hasRight(getSignedInUser(request), "agent.run");
  const view = { project, model, status, jobs, next, rate, refused, prompt, canRun };
  return sendProjectPage(services, request, reply, {
    project,
    tab: "agent",
    title: "Agent jobs",
    main: await renderAgentJobsPage(addresses, view),
    isLive: isListLive(view),
  });
}

/** Adds the first message to each job. */
export async function addPrompts(
  { agentJobs }: Pick<DashboardServices, "agentJobs">,
  project: Project,
  snapshots: readonly { readonly job: AgentJob }[],
): Promise<readonly ListedAgentJob[]> {
  const ids = snapshots.map(({ job }) => job.id);
  const prompts = await agentJobs.readPrompts(toProjectScope(project), ids);
  return snapshots.map(({ job }) => ({ job, prompt: prompts.get(job.id) ?? "Agent job" }));
}

async function sendJob(
  services: DashboardServices,
  request: FastifyRequest,
  {
    reply,
    project,
    jobId,
    refused,
  }: {
    readonly reply: FastifyReply;
    readonly project: Project;
    readonly jobId: string;
    readonly refused?: RejectedPrompt;
  },
) {
  const { agentJobs, addresses, renderView } = services;
  const user = getSignedInUser(request);
  const scope = toProjectScope(project);
  const { job, revision } = await agentJobs.get(scope, jobId);
  // An open page polls for changes every second and needs a full response only if the job has changed.
  if (Seen.parse(request.query).seen === String(revision) && isPartialRequest(request)) {
    return reply.code(204).send();
  }
  const [messages, steps, diff] = await Promise.all([
    agentJobs.listMessages(scope, jobId),
    agentJobs.listSteps(scope, jobId, maxSteps + 1),
    job.status === "active" ? undefined : agentJobs.readDiff(scope, jobId),
  ]);
  return sendProjectPage(services, request, reply, {
    project,
    tab: "agent",
    title: getJobTitle(messages),
    main: await renderView("agentJob", {
      project,
      job,
      revision,
      messages,
      steps: steps.slice(-maxSteps),
      hasEarlierSteps: steps.length > maxSteps,
      diff,
      canRenew: canRenew(user, job),
      canRun: hasRight(user, "agent.run"),
      previewAddress: findPreviewAddress({ addresses }, project, job),
      refused,
    }),
    isLive: job.status === "active",
  });
}

function canRenew(user: SignedInUser, { pullRequest }: AgentJob): boolean {
  const isAllowed = canExport(user.plan) && hasRight(user, "exports.run");
  return isAllowed && pullRequest?.state === "open";
}

function isPartialRequest({ headers }: FastifyRequest): boolean {
  return headers["hx-request"] === "true";
}

function findPreviewAddress(
  { addresses }: Pick<DashboardServices, "addresses">,
  project: Project,
  { pullRequest, source }: AgentJob,
): string | undefined {
  const branch = pullRequest ? parseAgentBranch(source.ref) : undefined;
  if (!branch) return undefined;
  const { jobId, number } = branch;
  return addresses.preview({ projectId: project.id, jobId, branchNumber: number });
}

interface AgentJobsView {
  readonly project: Project;
  /** The model for new jobs. */
  readonly model: string;
  /** The status of the shown jobs; undefined means all jobs. */
  readonly status: AgentJobStatus | undefined;
  readonly jobs: readonly ListedAgentJob[];
  readonly next: string | null;
  readonly rate: RateState;
  readonly refused: RejectedPrompt | undefined;
  /** Whether the user may start jobs. */
  readonly canRun: boolean;
  /** The initial text of the form. */
  readonly prompt: string | undefined;
}

const shownStates: readonly AgentJobStatus[] = ["active", "completed", "failed", "archived"];

/** Reports whether the list contains an active job, in which case the page must refresh. */
function isListLive({ jobs }: Pick<AgentJobsView, "jobs">): boolean {
  return jobs.some(({ job }) => job.status === "active");
}

async function renderAgentJobsPage(addresses: Addresses, view: AgentJobsView): Promise<SafeHtml> {
  const { project, model, status, jobs, next, refused, prompt } = view;
  const address = addresses.agent(project.id);
  const filteredAddress = status === undefined ? address : `${address}?status=${status}`;
  return safeHtml`${renderPageHead([], "Agent jobs")}
    ${view.canRun && safeHtml`${renderAgentJobForm(addresses, project, { model, refused, prompt })} ${renderRateNotice(view)}`}
    <nav class="filters" aria-label="State">
      ${renderFilterLink(address, "all", status === undefined)}
      ${shownStates.map((one) => renderFilterLink(`${address}?status=${one}`, one, one === status))}
    </nav>
    ${renderLiveRegion(
      filteredAddress,
      isListLive(view),
      safeHtml`${jobs.length === 0 && renderEmptyNote(status === undefined ? "No agent jobs yet." : `No ${status} agent jobs.`)}
      ${await renderAgentJobList(addresses, project.id, jobs)} ${renderOlderLink(filteredAddress, next, "Older agent jobs")}`,
    )}`;
}

function renderFilterLink(href: string, text: string, isCurrent: boolean): SafeHtml {
  return safeHtml`<a href="${href}" ${isCurrent && safeHtml`aria-current="true"`}>${text}</a>`;
}

/** The number of remaining calls below which the page shows the rate limit. */
const rateNoticeThreshold = 20;

function renderRateNotice({ rate: { remaining, resetSeconds } }: AgentJobsView): SafeHtml | false {
  if (remaining >= rateNoticeThreshold) return false;
  return safeHtml`<p class="notice">
    Each project is limited to ${rateLimit.calls} agent jobs in any 60 minutes. Remaining:
    ${remaining}${resetSeconds !== undefined && `; one more in ${formatMinutes(resetSeconds)}`}.
  </p>`;
}

/** Formats seconds as whole minutes, at least one, e.g. `1 minute`, `54 minutes`. */
function formatMinutes(seconds: number): string {
  return formatCount(Math.max(1, Math.ceil(seconds / 60)), "minute");
}
