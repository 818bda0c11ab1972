import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { AgentPreview } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import { encodePathForMarkdown } from "../addresses.ts";
import type { DashboardServices } from "../services.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderBranchPreviewPage, isPreviewLive } from "../pages/branch-preview.ts";
import { getHolder } from "../session/sessions.ts";
import { findProject, toProjectScope } from "./scope.ts";

/**
 * Adds the permanent preview address of an agent job's branch, for the text of its pull request: it redirects to the
 * preview, or shows its state. A GET starts nothing: previews start when the branch is pushed, or with the button on
 * this page.
 */
export function addBranchPreviewPages(app: FastifyInstance, services: DashboardServices): void {
  const { addresses, agentJobs, previewPasses, sendPage } = services;
  const path = "/projects/:projectId/agent/:jobId/preview/:number";

  async function show(request: FastifyRequest, reply: FastifyReply) {
    const { project, branch, page } = await findBranch(services, request);
    const { jobId, branchNumber } = branch;
    const preview = await agentJobs.preview(toProjectScope(project), jobId, branchNumber);
    const hasBundle = await hasStoredBundle(services, project, preview);
    if (preview.job && hasBundle && !preview.isOutdated) {
      const { sessionId } = getHolder(request);
      const token = previewPasses.sign({ sessionId, jobId: preview.job.jobId });
      const file = page === undefined ? "" : `${encodePathForMarkdown(page)}.html`;
      return redirectTo(request, reply, addresses.fromRoute(`/previews/${token}/${file}`));
    }
    const holder = getHolder(request);
    const address = addresses.preview(branch, page);
    return sendPage(request, reply, {
      title: `Preview of ${project.name}`,
      section: "projects",
      main: renderBranchPreviewPage(addresses, {
        project,
        holder,
        jobId,
        preview,
        address,
        hasBundle,
      }),
      isLive: isPreviewLive(preview),
    });
  }

  async function make(request: FastifyRequest, reply: FastifyReply) {
    const { project, branch, page } = await findBranch(services, request);
    await agentJobs.startPreview(toProjectScope(project), branch.jobId, branch.branchNumber);
    return reply.redirect(addresses.preview(branch, page), 303);
  }

  for (const route of [path, `${path}/*`]) {
    app.get(route, createPageOptions("exports.read"), (request, reply) => show(request, reply));
    app.post(route, createPageOptions("exports.run"), (request, reply) => make(request, reply));
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
    await staticExports.bundle(toProjectScope(project), job.jobId);
    return true;
  } catch (error) {
    if (isOctavoError(error, "gone")) return false;
    throw error;
  }
}

/** Redirects to the preview. A partial page cannot show a preview, so it redirects the whole page. */
function redirectTo({ headers }: FastifyRequest, reply: FastifyReply, address: string) {
  if (headers["hx-request"] === "true") {
    return reply.code(204).header("hx-redirect", address).send();
  }
  return reply.redirect(address, 303);
}
