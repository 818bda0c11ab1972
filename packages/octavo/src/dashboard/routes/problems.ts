import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import type { ExportReport, StoredArchive } from "../../bundles/index.ts";
import { hasRight } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { getTitleLine, renderRelativeTime } from "../format.ts";
import { createPageOptions } from "../page-rights.ts";
import { getExportName } from "../pages/export-list.ts";
import { renderEmptyNote, renderPageHead } from "../pages/parts.ts";
import { renderProblemList, type ProblemFilter } from "../pages/problems.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { sendProjectPage, findProject, toProjectScope } from "./project-page.ts";

const FilterField = z
  .string()
  .max(4_096)
  .transform((text) => (text === "" ? undefined : text))
  .optional()
  .catch(undefined);
/** The filter as the form sends it. An empty field means all problems. */
export const ProblemQuery = z.object({ kind: FilterField, file: FilterField });

/** Adds the page with the problems of a project's site. */
export function addProblemPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, agentJobs, addresses } = services;

  app.get(
    "/projects/:projectId/problems",
    createPageOptions("exports.read"),
    async (request, reply) => {
      const { project, user } = await findProject(projects, request);
      const filter = ProblemQuery.parse(request.query);
      const newestReport = await readNewestReport(services, project);
      const canAsk = hasRight(user, "agent.run");
      const canChange = hasRight(user, "projects.write");
      const model = canAsk ? (project.model ?? agentJobs.defaultModel) : undefined;
      return sendProjectPage(services, request, reply, {
        project,
        tab: "problems",
        title: "Problems",
        main: renderProblemsPage(addresses, { project, newestReport, filter, model, canChange }),
      });
    },
  );
}

/** A report of a site's problems, and the deployment or export that it is about. */
interface SiteReport {
  readonly report: ExportReport;
  readonly title: string;
  readonly href: string;
  readonly commit: string | null;
  readonly at: string;
}

interface Candidate extends Omit<SiteReport, "report"> {
  readonly findArchive: () => Promise<StoredArchive | undefined>;
}

/**
 * Returns the report of the deployment that readers see, or of the last completed export if that is newer or nothing is
 * published. Returns undefined if neither has a readable report.
 */
async function readNewestReport(
  services: DashboardServices,
  project: Project,
): Promise<SiteReport | undefined> {
  const candidates = (await listCandidates(services, project)).toSorted((one, other) =>
    other.at.localeCompare(one.at),
  );
  for (const { findArchive, ...candidate } of candidates) {
    const report = await findArchive()
      .then((archive) => archive && services.readReport(archive))
      .catch(ignoreOctavoError);
    if (report) return { ...candidate, report };
  }
  return undefined;
}

async function listCandidates(
  { staticExports, deployments, addresses }: DashboardServices,
  project: Project,
): Promise<readonly Candidate[]> {
  const scope = toProjectScope(project);
  const [live, exported] = await Promise.all([
    deployments.findLive(project.id),
    staticExports.list(scope, { limit: 1, status: "completed" }),
  ]);
  const deployment = live && {
    title: live.job.subject ?? "the uploaded folder",
    href: addresses.deployment(project.id, live.job.id),
    commit: live.job.commit,
    at: live.job.endedAt ?? live.job.createdAt,
    findArchive: () => deployments.findBundle(live.job.id),
  };
  const [newest] = exported.jobs;
  const exportJob = newest && {
    title: `the export of ${getExportName(newest.job)}`,
    href: addresses.export(project.id, newest.job.jobId),
    commit: newest.job.commit,
    at: newest.job.updatedAt,
    findArchive: () => staticExports.getBundle(scope, newest.job.jobId),
  };
  return [deployment, exportJob].filter((candidate) => candidate !== undefined);
}

/**
 * Ignores an `OctavoError`, because a bundle can be removed at any time, even between reading its row and reading its
 * bytes. Rethrows other errors.
 */
function ignoreOctavoError(error: unknown): undefined {
  if (isOctavoError(error)) return undefined;
  throw error;
}

interface ProblemsView {
  readonly project: Project;
  readonly newestReport: SiteReport | undefined;
  readonly filter: ProblemFilter;
  readonly model: string | undefined;
  /** Whether the user may change the project's settings. */
  readonly canChange: boolean;
}

function renderProblemsPage(
  addresses: Addresses,
  { project, newestReport, filter, model, canChange }: ProblemsView,
): SafeHtml {
  const head = renderPageHead([], "Problems");
  if (!newestReport) {
    return safeHtml`${head} ${renderEmptyNote("Nothing has been checked yet. Publish or export the site to see its problems here.")}`;
  }
  const { report, title, href, commit, at } = newestReport;
  return safeHtml`${head} ${canChange && renderFolderSuggestions(addresses, project, report)}
    <p class="soft">In <a href="${href}">${getTitleLine(title)}</a>, ${renderRelativeTime(at)}.</p>
    ${renderProblemList(addresses, { project, report, commit, filter, model, address: addresses.problems(project.id) })}`;
}

/**
 * If the site was read as plain Markdown because its folder has no configuration, renders a button for each folder that
 * has one. Most other problems are then caused by the wrong folder.
 */
function renderFolderSuggestions(
  addresses: Addresses,
  project: Project,
  { problems }: ExportReport,
): SafeHtml | false {
  const files = problems.flatMap(({ code, file }) =>
    code === "config_in_folder" && file ? [file] : [],
  );
  if (project.directory !== "." || files.length === 0) return false;
  const choices = files.map((file) => {
    const [folder = ""] = file.split("/");
    return safeHtml`<form method="post" action="${addresses.projectSettings(project.id)}/folder">
      <input type="hidden" name="directory" value="${folder}" />
      <button class="primary" type="submit">Use ${folder}/</button>
    </form>`;
  });
  return safeHtml`<section class="notice" aria-label="Folder of the site">
    <p>
      <strong>Is this the right folder?</strong> The root of the repository has no <code>docs.json</code> and
      is read as plain Markdown, but ${files.map((file, at) => safeHtml`${at > 0 && ", "}<code>${file}</code>`)}
      ${files.length === 1 ? "exists" : "exist"}. That may have caused most of the problems below.
    </p>
    <div class="actions">${choices}</div>
  </section>`;
}
