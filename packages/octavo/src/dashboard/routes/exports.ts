import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { hasRight, formatCount } from "../../core/index.ts";
import {
  exportStages,
  type ExportProgress,
  type ExportStage,
  type StaticExportJob,
  type StoredBundle,
} from "../../jobs/index.ts";
import { canExport, checkRef, type Project, type SignedInUser } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { getExportName, isInProgress, renderExportList } from "../pages/export-list.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import type { ExportReport } from "../../bundles/index.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import {
  formatFileSize,
  formatShortCommit,
  renderClockTime,
  renderRelativeTime,
} from "../format.ts";
import {
  formatActor,
  renderCopyableText,
  renderEmptyNote,
  renderField,
  renderLiveRegion,
  renderOlderLink,
  renderPageHead,
  renderStatusBadge,
  renderWaitingNote,
} from "../pages/parts.ts";
import { renderProblemList, type ProblemFilter } from "../pages/problems.ts";
import { ProblemQuery } from "./problems.ts";
import { sendProjectPage, findProject, readBefore, toProjectScope } from "./project-page.ts";

const pageSize = 30;

const Start = z.object({
  ref: z.string().trim().max(250, "The name of the branch, tag or commit is too long.").optional(),
  format: z.enum(["tar.gz", "zip"], { error: "The format must be tar.gz or zip." }).optional(),
});

export function addExportPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, staticExports, agentJobs, addresses, readReport } = services;
  const path = "/projects/:projectId/exports";

  app.get(path, createPageOptions("exports.read"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    return sendExports(services, request, { reply, project });
  });

  app.post(path, createPageOptions("exports.run"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const attempt = await tryForm(services, { request, reply, field: "ref" }, async () => {
      const { ref = "", format } = parseForm(Start, request.body);
      if (ref !== "") checkRef(ref);
      return await staticExports.start(getSignedInUser(request), {
        domain: project.domain,
        format,
        ...(ref !== "" && { ref }),
      });
    });
    if (attempt.refused) return sendExports(services, request, { reply, project, ...attempt });
    return reply.redirect(addresses.export(project.id, attempt.result.job.jobId), 303);
  });

  app.get(`${path}/:jobId`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    const scope = toProjectScope(project);
    const [{ job }, progress, bundle] = await Promise.all([
      staticExports.get(scope, jobId),
      staticExports.readProgress(scope, jobId),
      findBundle(services, project, jobId),
    ]);
    const report = bundle && (await readReport(bundle).catch(ignoreOctavoError));
    const canRun = hasRight(getSignedInUser(request), "exports.run");
    const canAsk = hasRight(getSignedInUser(request), "agent.run");
    return sendProjectPage(services, request, reply, {
      project,
      tab: "exports",
      title: `Export of ${getExportName(job)}`,
      main: renderExportPage(addresses, {
        project,
        job,
        progress,
        bundle,
        report,
        filter: ProblemQuery.parse(request.query),
        model: canAsk ? (project.model ?? agentJobs.defaultModel) : undefined,
        canRun,
      }),
      isLive: isInProgress(job.status),
    });
  });

  app.post(`${path}/:jobId/cancel`, createPageOptions("exports.run"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    await staticExports.cancel(toProjectScope(project, getSignedInUser(request)), jobId);
    return reply.redirect(addresses.export(project.id, jobId), 303);
  });

  app.get(`${path}/:jobId/download`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    const bundle = await staticExports.getBundle(toProjectScope(project), jobId);
    return reply.redirect(services.linkToBundle(bundle), 303);
  });

  app.get(`${path}/:jobId/preview`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    await staticExports.getBundle(toProjectScope(project), jobId);
    return reply.redirect(addresses.bundlePreview(jobId), 303);
  });
}

interface ExportsAnswer extends Pick<ExportsView, "refused"> {
  readonly reply: FastifyReply;
  readonly project: Project;
}

async function sendExports(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, project, refused }: ExportsAnswer,
): Promise<FastifyReply> {
  const { jobs: listed, nextCursor } = await services.staticExports.list(toProjectScope(project), {
    limit: pageSize,
    cursor: readBefore(request),
  });
  const jobs = listed.map(({ job }) => job);
  const user = getSignedInUser(request);
  return sendProjectPage(services, request, reply, {
    project,
    tab: "exports",
    title: "Exports",
    main: renderExportsPage(services.addresses, {
      project,
      user,
      jobs,
      next: nextCursor,
      refused,
    }),
    isLive: !refused && jobs.some(({ status }) => isInProgress(status)),
  });
}

async function findExport({ projects }: DashboardServices, request: FastifyRequest) {
  const { project } = await findProject(projects, request);
  const { jobId } = request.params as { readonly jobId: string };
  return { project, jobId };
}

/** Returns the bundle, or undefined if there is none yet or it was removed. */
async function findBundle(
  { staticExports }: DashboardServices,
  project: Project,
  jobId: string,
): Promise<StoredBundle | undefined> {
  try {
    return await staticExports.getBundle(toProjectScope(project), jobId);
  } catch (error) {
    if (isOctavoError(error, "conflict") || isOctavoError(error, "gone")) return undefined;
    throw error;
  }
}

function ignoreOctavoError(error: unknown): undefined {
  if (error instanceof OctavoError) return undefined;
  throw error;
}

interface ExportsView {
  readonly project: Project;
  readonly user: SignedInUser;
  readonly jobs: readonly StaticExportJob[];
  readonly next: string | null;
  readonly refused?: RefusedForm | undefined;
}

function renderExportsPage(addresses: Addresses, view: ExportsView): SafeHtml {
  const { project, user, jobs, next } = view;
  const address = addresses.exports(project.id);
  const canRun = hasRight(user, "exports.run");
  const isLive = jobs.some(({ status }) => isInProgress(status));
  const jobList = safeHtml`${jobs.length === 0 && renderEmptyNote(canRun ? "No exports yet. Start the first one above." : "No exports yet.")}
    ${renderExportList(addresses, project.id, jobs)} ${renderOlderLink(address, next, "Older exports")}`;
  return safeHtml`${renderPageHead([], "Exports")}
    <p class="soft">
      An export is the whole site in one archive. It opens without a server, and its search works offline.
    </p>
    ${canRun && renderStartForm(address, view)} ${renderLiveRegion(address, isLive, jobList)}`;
}

function renderStartForm(address: string, { project, user, refused }: ExportsView): SafeHtml {
  if (!canExport(user.plan)) {
    return safeHtml`<p class="notice">
      Static export requires the enterprise plan, but ${user.organizationName} is on the
      ${user.plan} plan. The operator can change it with <code>octavo orgs set-plan</code>.
    </p>`;
  }
  return safeHtml`<section class="card" aria-labelledby="start">
    <h2 id="start">Start an export</h2>
    <form class="inline" method="post" action="${address}">
      ${renderField({ name: "ref", label: "Branch, tag or commit", placeholder: project.ref ?? "the repository's default branch", maxLength: 250, refused })}
      <div class="narrow">
        <label for="format">Format</label>
        <select id="format" name="format">
          <option value="tar.gz">tar.gz</option>
          <option value="zip">zip</option>
        </select>
      </div>
      <button class="primary" type="submit">Start</button>
    </form>
  </section>`;
}

interface ExportView {
  readonly project: Project;
  readonly job: StaticExportJob;
  /** Undefined before the bundle exists and after it was removed at the end of its retention time. */
  readonly bundle: { readonly bytes: number } | undefined;
  readonly report: ExportReport | undefined;
  /** Whether the user may cancel the export. */
  readonly canRun: boolean;
  readonly progress: ExportProgress;
  /** The filter of the shown problems. */
  readonly filter: ProblemFilter;
  /** The model of the project's agents; undefined if the user may not start agent jobs. */
  readonly model: string | undefined;
}

function renderExportPage(addresses: Addresses, view: ExportView): SafeHtml {
  const { project, job, report, progress, filter, model } = view;
  const address = addresses.export(project.id, job.jobId);
  const content = safeHtml`${renderPageHead([["Exports", addresses.exports(project.id)]], safeHtml`Export of ${getExportName(job)}`, renderStatusBadge(job.status))}
    ${isInProgress(job.status) && renderRunningCard(address, view)}
    ${job.status === "completed" && renderBundleActions(address, view)}
    ${job.error !== undefined && safeHtml`<p class="notice danger" role="status">${job.error}</p>`}
    ${renderFacts(view)} ${renderExportLog(progress, job.status !== "completed")}
    ${
      report &&
      safeHtml`<section aria-labelledby="problems">
        <h2 id="problems">Problems</h2>
        ${renderProblemList(addresses, { project, report, commit: job.commit, filter, address, model })}
      </section>`
    }`;
  return renderLiveRegion(address, isInProgress(job.status), content);
}

function renderRunningCard(address: string, { job, progress, canRun }: ExportView): SafeHtml {
  return safeHtml`<div class="card">
    ${renderExportStages(job, progress)}
    ${renderWaitingNote(job)}
    ${
      canRun &&
      safeHtml`<form method="post" action="${address}/cancel">
        <button type="submit">Cancel</button>
      </form>`
    }
  </div>`;
}

function renderBundleActions(address: string, { bundle }: ExportView): SafeHtml {
  if (!bundle) {
    return safeHtml`<p class="notice">
      The bundle was removed after its retention time; start the export again.
    </p>`;
  }
  return safeHtml`<p class="actions">
    <a class="button primary" href="${address}/download">Download, ${formatFileSize(bundle.bytes)}</a>
    <a class="button" href="${address}/preview">Preview</a>
  </p>`;
}

function renderFacts({ job }: ExportView): SafeHtml {
  const { ref, commit, pageCount, format, createdAt, updatedAt, status } = job;
  return safeHtml`<dl class="facts">
    <div>
      <dt>Branch, tag or commit</dt>
      <dd>${ref ?? "the repository's default branch"}</dd>
    </div>
    ${
      commit !== null &&
      safeHtml`<div>
        <dt>Commit</dt>
        <dd><code title="${commit}">${formatShortCommit(commit)}</code></dd>
      </div>`
    }
    <div>
      <dt>Pages</dt>
      <dd>${formatCount(pageCount, "page")}</dd>
    </div>
    <div>
      <dt>Format</dt>
      <dd>${format}</dd>
    </div>
    <div>
      <dt>Started</dt>
      <dd>${renderRelativeTime(createdAt)}${formatActor(job.createdBy)}</dd>
    </div>
    ${
      !isInProgress(status) &&
      safeHtml`<div>
        <dt>Ended</dt>
        <dd>${renderRelativeTime(updatedAt)}</dd>
      </div>`
    }
    <div>
      <dt>Job ID</dt>
      <dd>${renderCopyableText(job.jobId, "the job's ID")}</dd>
    </div>
  </dl>`;
}

const stageNames: Readonly<Record<ExportStage, string>> = {
  checkout: "Checkout",
  rendering: "Rendering",
  packing: "Packing",
  storing: "Storing",
};

/** Renders the stages of a running export, the number of finished pages and the remaining time. */
export function renderExportStages(job: StaticExportJob, progress: ExportProgress): SafeHtml {
  // A worker that has not started yet has no stage.
  const current = progress.log.findLast(({ stage }) => stage !== undefined)?.stage;
  const currentIndex = current === undefined ? -1 : exportStages.indexOf(current);
  return safeHtml`<ol class="stages" aria-label="Stages">
      ${exportStages.map((stage, index) => {
        const state = getStageState(index, currentIndex);
        return safeHtml`<li class="stage-${state}" ${state === "current" && safeHtml`aria-current="step"`}>
          ${stageNames[stage]}${state === "done" && safeHtml`<span class="hidden">, done</span>`}
        </li>`;
      })}
    </ol>
    <div class="progress">
      <progress max="100" value="${job.progress}" aria-label="Progress of the export">
        ${job.progress} %
      </progress>
      <span>${describeProgress(job, progress)}</span>
    </div>`;
}

function getStageState(index: number, current: number): "done" | "current" | "later" {
  if (index === current) return "current";
  return index < current ? "done" : "later";
}

function describeProgress(job: StaticExportJob, progress: ExportProgress): string {
  const { totalPages, log } = progress;
  if (job.status === "queued" && log.length === 0) return "Waiting for a worker";
  if (totalPages === 0) return `${job.progress} %`;
  const pages = `${job.pageCount.toLocaleString("en")} of ${formatCount(totalPages, "page")}`;
  const secondsLeft = estimateSecondsLeft(job, progress);
  return secondsLeft === undefined ? pages : `${pages}, ${formatTimeLeft(secondsLeft)} left`;
}

/** The rendering time before which an estimate would fluctuate. */
const minRenderingSeconds = 3;
const minRenderedRatio = 0.05;

/**
 * Estimates the remaining time from the rendering pace so far. Returns undefined in other stages, and while too few
 * pages are rendered for an estimate.
 */
function estimateSecondsLeft(
  { pageCount }: StaticExportJob,
  { totalPages, log }: ExportProgress,
): number | undefined {
  const lastStage = log.findLast(({ stage }) => stage !== undefined);
  if (lastStage?.stage !== "rendering" || pageCount >= totalPages) return undefined;
  const seconds = (Date.now() - Date.parse(lastStage.at)) / 1000;
  if (seconds < minRenderingSeconds || pageCount / totalPages < minRenderedRatio) return undefined;
  return (seconds / pageCount) * (totalPages - pageCount);
}

function formatTimeLeft(seconds: number): string {
  if (seconds < 60)
    return `about ${formatCount(Math.max(5, Math.ceil(seconds / 5) * 5), "second")}`;
  return `about ${formatCount(Math.ceil(seconds / 60), "minute")}`;
}

/**
 * Renders the export's log with the time of each line. If `isOpen`, as during the export and after a failure, the log
 * is expanded.
 */
function renderExportLog({ log }: ExportProgress, isOpen: boolean): SafeHtml | false {
  return (
    log.length > 0 &&
    safeHtml`<details class="log" id="log" ${isOpen && safeHtml`open`}>
      <summary><h2>Log</h2></summary>
      <ol>
        ${log.map(({ at, text }) => safeHtml`<li>${renderClockTime(at)} <span>${text}</span></li>`)}
      </ol>
    </details>`
  );
}
