import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { hasRight } from "../../core/index.ts";
import type { StoredBundle } from "../../jobs/index.ts";
import { checkRef } from "../../projects/index.ts";
import type { Project } from "../../projects/index.ts";
import type { DashboardServices } from "../services.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { isInProgress } from "../pages/export-list.ts";
import { renderExportPage } from "../pages/export.ts";
import { getHolder } from "../session/sessions.ts";
import { findProject, toProjectScope } from "./scope.ts";

const Start = z.object({
  ref: z.string().trim().max(250, "The name of the branch, tag or commit is too long.").optional(),
  format: z.enum(["tar.gz", "zip"], { error: "The format must be tar.gz or zip." }).optional(),
});

const Chosen = z
  .string()
  .max(4_096)
  .transform((text) => (text === "" ? undefined : text))
  .optional()
  .catch(undefined);
/** The filter as the form sends it: empty for all. */
const Filter = z.object({ kind: Chosen, file: Chosen });

export function addExportPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, staticExports, agentJobs, addresses, sendPage, readReport } = services;
  const path = "/projects/:projectId/exports";

  app.post(path, createPageOptions("exports.run"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const { ref = "", format } = parseForm(Start, request.body);
    if (ref !== "") checkRef(ref);
    const { job } = await staticExports.start(getHolder(request), {
      domain: project.domain,
      format,
      ...(ref !== "" && { ref }),
    });
    return reply.redirect(addresses.export(project.id, job.jobId), 303);
  });

  app.get(`${path}/:jobId`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    const scope = toProjectScope(project);
    const [{ job }, progress, bundle] = await Promise.all([
      staticExports.get(scope, jobId),
      staticExports.progress(scope, jobId),
      findBundle(services, project, jobId),
    ]);
    const report = bundle && (await readReport(bundle).catch(unreadable));
    const canRun = hasRight(getHolder(request), "exports.run");
    const canAsk = hasRight(getHolder(request), "agent.run");
    return sendPage(request, reply, {
      title: `Export of ${project.name}`,
      section: "projects",
      main: renderExportPage(addresses, {
        project,
        job,
        progress,
        bundle,
        report,
        filter: Filter.parse(request.query),
        model: canAsk ? (project.model ?? agentJobs.defaultModel) : undefined,
        canRun,
      }),
      isLive: isInProgress(job.status),
    });
  });

  app.post(`${path}/:jobId/cancel`, createPageOptions("exports.run"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    await staticExports.cancel(toProjectScope(project, getHolder(request)), jobId);
    return reply.redirect(addresses.export(project.id, jobId), 303);
  });

  app.get(`${path}/:jobId/download`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    const bundle = await staticExports.bundle(toProjectScope(project), jobId);
    return reply.redirect(services.linkToBundle(bundle), 303);
  });

  app.get(`${path}/:jobId/preview`, createPageOptions("exports.read"), async (request, reply) => {
    const { project, jobId } = await findExport(services, request);
    await staticExports.bundle(toProjectScope(project), jobId);
    const token = services.previewPasses.sign({ sessionId: getHolder(request).sessionId, jobId });
    return reply.redirect(addresses.fromRoute(`/previews/${token}/`), 303);
  });
}

async function findExport({ projects }: DashboardServices, request: FastifyRequest) {
  const { project } = await findProject(projects, request);
  const { jobId } = request.params as { readonly jobId: string };
  return { project, jobId };
}

/** Returns undefined if there is no bundle yet, or it was removed. */
async function findBundle(
  { staticExports }: DashboardServices,
  project: Project,
  jobId: string,
): Promise<StoredBundle | undefined> {
  try {
    return await staticExports.bundle(toProjectScope(project), jobId);
  } catch (error) {
    if (isOctavoError(error, "conflict") || isOctavoError(error, "gone")) return undefined;
    throw error;
  }
}

function unreadable(error: unknown): undefined {
  if (error instanceof OctavoError) return undefined;
  throw error;
}
