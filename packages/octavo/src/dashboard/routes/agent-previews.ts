import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { AgentPreview } from "../../jobs/index.ts";
import { canExport, type SignedInUser, type Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import type { DashboardServices } from "../services.ts";
import { createPageOptions } from "../page-rights.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { hasRight } from "../../core/index.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { isInProgress, renderProgressBar } from "../pages/export-list.ts";
import { renderLiveRegion, renderPageHead, renderStatusBadge } from "../pages/parts.ts";
import { sendProjectPage, findProject, toProjectScope } from "./project-page.ts";

/**
 * Adds the permanent preview address of an agent job's branch, which the text of its pull request contains. The address
 * redirects to the preview or shows its state. A GET request starts nothing. Previews start when the branch is pushed,
 * or with the button on this page.
 */
export function addAgentPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, agentJobs } = services;
  const path = "/projects/:projectId/agent/:jobId/preview/:number";

  async function showPreview(request: FastifyRequest, reply: FastifyReply) {
    const { project, branch, page } = await findBranch(services, request);
    const { jobId, branchNumber } = branch;
    const preview = await agentJobs.findPreview(toProjectScope(project), jobId, branchNumber);
    const hasBundle = await hasStoredBundle(services, project, preview);
    if (preview.job && hasBundle && !preview.isOutdated) {
      const file = page === undefined ? "" : `${page}.html`;
      return redirectTo(request, reply, addresses.bundlePreview(preview.job.jobId, file));
    }
    const user = getSignedInUser(request);
    const address = addresses.preview(branch, page);
    return sendProjectPage(services, request, reply, {
      project,
      tab: "agent",
      title: "Preview",
      main: renderAgentPreviewPage(addresses, {
        project,
        user,
        jobId,
        preview,
        address,
        hasBundle,
      }),
      isLive: isPreviewLive(preview),
    });
  }

  async function createPreview(request: FastifyRequest, reply: FastifyReply) {
    const { project, branch, page } = await findBranch(services, request);
    const scope = toProjectScope(project, getSignedInUser(request));
    await agentJobs.startPreview(scope, branch.jobId, branch.branchNumber);
    return reply.redirect(addresses.preview(branch, page), 303);
  }

  for (const route of [path, `${path}/*`]) {
    app.get(route, createPageOptions("exports.read"), (request, reply) =>
      showPreview(request, reply),
    );
    app.post(route, createPageOptions("exports.run"), (request, reply) =>
      createPreview(request, reply),
    );
  }
}

async function findBranch({ projects }: DashboardServices, request: FastifyRequest) {
  const { project } = await findProject(projects, request);
  const { jobId, number, "*": page = "" } = request.params as Readonly<Record<string, string>>;
  if (jobId === undefined || !/^[1-9]\d{0,8}$/.test(number ?? "")) {
    throw new OctavoError("not_found", "This preview does not exist.");
  }
  const branch = { projectId: project.id, jobId, branchNumber: Number(number) };
  return { project, branch, page: page === "" ? undefined : page };
}

async function hasStoredBundle(
  { staticExports }: DashboardServices,
  project: Project,
  { job }: AgentPreview,
): Promise<boolean> {
  if (job?.status !== "completed") return false;
  try {
    await staticExports.getBundle(toProjectScope(project), job.jobId);
    return true;
  } catch (error) {
    if (isOctavoError(error, "gone")) return false;
    throw error;
  }
}

/**
 * Redirects to the preview. A partial page cannot show a preview, so a request for a partial page redirects the whole
 * page.
 */
function redirectTo({ headers }: FastifyRequest, reply: FastifyReply, address: string) {
  if (headers["hx-request"] === "true") {
    return reply.code(204).header("hx-redirect", address).send();
  }
  return reply.redirect(address, 303);
}

interface AgentPreviewView {
  readonly project: Project;
  readonly user: SignedInUser;
  readonly jobId: string;
  readonly preview: AgentPreview;
  /** The address of this page, which is also the target of its form. */
  readonly address: string;
  /** Whether the newest export has a bundle. */
  readonly hasBundle: boolean;
}

/** Renders the page that is shown if there is no preview or only the preview of an older commit. */
function renderAgentPreviewPage(addresses: Addresses, view: AgentPreviewView): SafeHtml {
  const { project, jobId, preview, address } = view;
  const breadcrumbs = [
    ["Agent jobs", addresses.agent(project.id)] as const,
    ["The job", addresses.agentJob(project.id, jobId)] as const,
  ];
  const content = safeHtml`${renderPageHead(breadcrumbs, "Preview", preview.job && renderStatusBadge(preview.job.status))}
    <p class="soft">The site on the branch <code>${preview.branch}</code>.</p>
    ${isPreviewLive(preview) ? renderRunningCard(addresses, view) : renderPreviewSection(addresses, view)}`;
  return renderLiveRegion(address, isPreviewLive(preview), content);
}

/** Reports whether the preview is in progress, in which case the page must refresh. */
function isPreviewLive({ job }: AgentPreview): boolean {
  return job !== undefined && isInProgress(job.status);
}

function renderRunningCard(
  addresses: Addresses,
  { project, preview: { job } }: AgentPreviewView,
): SafeHtml {
  return safeHtml`<div class="card">
    ${job && renderProgressBar(job)}
    <p class="soft">
      The preview opens here when it is ready.
      ${job && safeHtml`<a href="${addresses.export(project.id, job.jobId)}">See the export</a>`}
    </p>
  </div>`;
}

function renderPreviewSection(addresses: Addresses, view: AgentPreviewView): SafeHtml {
  const { project, preview, hasBundle } = view;
  const { job } = preview;
  return safeHtml`${renderPreviewNotice(view)}
    <div class="actions">
      ${hasRight(view.user, "exports.run") && renderStartForm(view, hasBundle ? "Renew the preview" : "Create the preview")}
      ${
        job &&
        hasBundle &&
        safeHtml`<a class="button" href="${addresses.export(project.id, job.jobId)}/preview"
          >Open the older preview</a
        >`
      }
    </div>`;
}

function renderPreviewNotice({ preview: { job }, hasBundle }: AgentPreviewView): SafeHtml {
  if (!job) return safeHtml`<p class="notice">This branch does not have a preview yet.</p>`;
  if (job.status === "failed") {
    return safeHtml`<p class="notice danger" role="status">The last preview failed: ${job.error}</p>`;
  }
  if (!hasBundle) {
    return safeHtml`<p class="notice">
      The last preview, of ${renderRelativeTime(job.createdAt)}, was removed after its retention time.
    </p>`;
  }
  return safeHtml`<p class="notice">
    The last preview is of the commit <code>${formatShortCommit(job.commit ?? "")}</code>; the branch has
    newer commits.
  </p>`;
}

function renderStartForm({ user, address }: AgentPreviewView, text: string): SafeHtml {
  if (!canExport(user.plan)) {
    return safeHtml`<p class="soft">
      A preview is a static export, which requires the enterprise plan, but
      ${user.organizationName} is on the ${user.plan} plan.
    </p>`;
  }
  return safeHtml`<form method="post" action="${address}">
    <button class="primary" type="submit">${text}</button>
  </form>`;
}
