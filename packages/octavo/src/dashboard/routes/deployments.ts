import type { FastifyInstance } from "fastify";
import type { DeploymentSnapshot, Deployment, DeploymentDetails } from "../../jobs/index.ts";
import type { Project, SignedInUser } from "../../projects/index.ts";
import { hasRight, hostedRepository, formatCount } from "../../core/index.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  hasUnfinishedDeployment,
  renderLiveRegion,
  formatActor,
  renderEmptyNote,
  renderOlderLink,
  renderPageHead,
  renderDeploymentBadge,
} from "../pages/parts.ts";
import type { DashboardServices } from "../services.ts";
import { sendProjectPage, findProject, readBefore, toProjectScope } from "./project-page.ts";
import type { Site } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { formatShortCommit, renderRelativeTime, renderClockTime } from "../format.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml, HtmlValue } from "../safe-html.ts";

const pageSize = 30;

/** Adds the pages with a project's deployments, and the actions on its site. */
export function addDeploymentPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, addresses } = services;
  const path = "/projects/:projectId";

  app.get(`${path}/deployments`, createPageOptions("deployments.read"), async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const { jobs, nextCursor } = await deployments.list(toProjectScope(project), {
      limit: pageSize,
      cursor: readBefore(request),
    });
    const view = await readSiteView(services, { project, user, deployments: jobs });
    return sendProjectPage(services, request, reply, {
      project,
      tab: "deployments",
      title: "Deployments",
      main: renderLiveRegion(
        addresses.deployments(project.id),
        hasUnfinishedDeployment(view),
        renderDeploymentsPage(addresses, view, nextCursor),
      ),
      isLive: hasUnfinishedDeployment(view),
    });
  });

  app.post(`${path}/deployments`, createPageOptions("deployments.run"), async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    await deployments.start(toProjectScope(project, user), { trigger: "dashboard" });
    return reply.redirect(addresses.project(project.id), 303);
  });

  const runOptions = createPageOptions("deployments.run");
  app.post(`${path}/deployments/:deploymentId/publish`, runOptions, async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const { deploymentId } = request.params as { readonly deploymentId: string };
    await deployments.publish(toProjectScope(project, user), deploymentId);
    return reply.redirect(addresses.project(project.id), 303);
  });

  const readOptions = createPageOptions("deployments.read");
  app.get(`${path}/deployments/:deploymentId`, readOptions, async (request, reply) => {
    const { project, user } = await findProject(projects, request);
    const { deploymentId } = request.params as { readonly deploymentId: string };
    const { job: deployment } = await deployments.get(toProjectScope(project), deploymentId);
    const [details, live] = await Promise.all([
      deployments.readDetails(deploymentId),
      deployments.findLive(project.id),
    ]);
    return sendProjectPage(services, request, reply, {
      project,
      tab: "deployments",
      title: deployment.subject ?? "Deployment",
      main: renderDeploymentPage(addresses, {
        project,
        deployment,
        details,
        live: live?.job,
        toOrigin: (label) => publishedSites.toOrigin(label),
        canRun: hasRight(user, "deployments.run"),
      }),
    });
  });
}

interface SiteViewInput {
  readonly project: Project;
  readonly user: SignedInUser;
  readonly deployments: readonly DeploymentSnapshot[];
}

/** Reads the data, other than deployments, that the pages of a project show about its site. */
export async function readSiteView(
  services: DashboardServices,
  { project, user, deployments }: SiteViewInput,
): Promise<PublishedSiteView> {
  const [site, live] = await Promise.all([
    services.publishedSites.read(project),
    services.deployments.findLive(project.id),
  ]);
  return {
    project,
    site,
    live: live?.job,
    deployments: deployments.map(({ job }) => job),
    toOrigin: (label) => services.publishedSites.toOrigin(label),
    isHosted: project.repository === hostedRepository,
    canRun: hasRight(user, "deployments.run"),
    canChange: hasRight(user, "projects.write"),
  };
}

/** The published site of a project, as its page shows it. */
export interface PublishedSiteView {
  readonly project: Pick<Project, "id" | "ref">;
  readonly site: Site;
  /** The deployment that readers see. */
  readonly live: Deployment | undefined;
  /** The newest deployments. */
  readonly deployments: readonly Deployment[];
  readonly toOrigin: (label: string) => string;
  /** Whether the service hosts the repository and therefore detects pushes by itself. */
  readonly isHosted: boolean;
  readonly canRun: boolean;
  readonly canChange: boolean;
}

/** Renders the site that readers see, and the actions on it. */
export function renderSiteSection(addresses: Addresses, view: PublishedSiteView): SafeHtml {
  const { project, live, deployments, canRun } = view;
  return safeHtml`<section class="site" aria-labelledby="site">
    <div class="head">
      <h2 id="site">Site</h2>
      ${live && canRun && !hasUnfinishedDeployment(view) && renderDeployForm(addresses, project)}
    </div>
    ${live ? renderLiveDeployment(addresses, view, live) : renderNothingLive(view)} ${renderPausedNotice(addresses, view)}
    ${
      deployments.length > 0 &&
      safeHtml`<h3>Last deployments</h3>
        ${renderDeploymentList(addresses, view)}
        <p class="older"><a href="${addresses.deployments(project.id)}">All deployments</a></p>`
    }
  </section>`;
}

/** Renders the page with the deployments of a project. */
function renderDeploymentsPage(
  addresses: Addresses,
  view: PublishedSiteView,
  next: string | null,
): SafeHtml {
  const { project, deployments, canRun } = view;
  const button = canRun && !hasUnfinishedDeployment(view) && renderDeployForm(addresses, project);
  return safeHtml`${renderPageHead([], "Deployments", button)} ${renderPausedNotice(addresses, view)}
    ${
      !view.isHosted &&
      safeHtml`<p class="soft">
        The service regularly checks the repository for new commits.
        <a href="${addresses.hook(project.id)}">Let the code host report pushes</a> to publish them at
        once.
      </p>`
    }
    ${deployments.length === 0 && renderEmptyNote("No deployments yet. A push to the repository starts the first one.")}
    ${renderDeploymentList(addresses, view)}
    ${renderOlderLink(addresses.deployments(project.id), next, "Older deployments")}`;
}

function renderDeployForm(addresses: Addresses, { id }: PublishedSiteView["project"]): SafeHtml {
  return safeHtml`<form method="post" action="${addresses.deployments(id)}">
    <button type="submit">Deploy again</button>
  </form>`;
}

function renderDeploymentList(addresses: Addresses, view: PublishedSiteView): SafeHtml {
  return safeHtml`<ul class="rows">
    ${view.deployments.map((deployment) => renderDeployment(addresses, view, deployment))}
  </ul>`;
}

function renderLiveDeployment(
  addresses: Addresses,
  { project }: PublishedSiteView,
  live: Deployment,
): SafeHtml {
  const { commit, subject, author, publishedAt, publishedBy, problems, pages } = live;
  const count = problems === null ? 0 : problems.errors + problems.warnings;
  return safeHtml`<p class="soft">
      ${subject ?? "An uploaded folder"}${commit !== null && safeHtml` <code>${formatShortCommit(commit)}</code>`}${
        author !== null && ` by ${author}`
      }${publishedAt !== null && safeHtml`, live since ${renderRelativeTime(publishedAt)}`}${formatActor(publishedBy)},
      ${formatCount(pages, "page")}, ${
        count === 0
          ? "no problems"
          : safeHtml`<a href="${addresses.problems(project.id)}">${formatCount(count, "problem")}</a>`
      }
    </p>`;
}

function renderNothingLive({ site, deployments, canRun, isHosted }: PublishedSiteView): SafeHtml {
  const isComing = hasUnfinishedDeployment({ deployments });
  if (isComing) {
    return renderEmptyNote(`The first deployment is being built. It will be at ${site.url}/`);
  }
  if (!canRun) return renderEmptyNote("Nothing is published yet.");
  const step = isHosted ? "Push your site as described below" : "Publish the site";
  return renderEmptyNote(
    `Nothing is published yet. ${step}, and readers will find it at ${site.url}/`,
  );
}

/** Renders the note that a site does not follow its branch, with a button to make it follow the branch again. */
function renderPausedNotice(
  addresses: Addresses,
  { project, site, live, canChange }: PublishedSiteView,
): SafeHtml | false {
  if (site.isAutomatic) return false;
  return safeHtml`<div class="notice">
    <p>
      ${live ? "The site stays as it is: pushes are not published." : "Pushes are not published."}
    </p>
    ${
      canChange &&
      safeHtml`<form method="post" action="${addresses.site(project.id)}">
        <input type="hidden" name="isAutomatic" value="on" />
        <button type="submit">${live ? "Publish pushes again" : "Publish pushes"}</button>
      </form>`
    }
  </div>`;
}

/** Reports whether readers see a deployment that is newer than this one. */
function isOlder({ createdAt }: Deployment, live: Deployment | undefined): boolean {
  return live !== undefined && createdAt < live.createdAt;
}

function renderDeployment(
  addresses: Addresses,
  view: PublishedSiteView,
  deployment: Deployment,
): SafeHtml {
  const { project, toOrigin } = view;
  const { id, kind, ref, commit, subject, label, createdAt, error } = deployment;
  const branch = kind === "upload" ? "An uploaded folder" : (ref ?? project.ref ?? "The default branch"); // prettier-ignore
  const title = subject ?? branch;
  return safeHtml`<li class="row" id="${id}">
    <span class="row-main">
      ${renderDeploymentBadge(deployment)}
      <span class="row-title"><a href="${addresses.deployment(project.id, id)}">${title}</a></span>
    </span>
    <span class="row-facts">
      ${kind !== "production" && safeHtml`<span>${kind}${kind === "version" && ` ${ref}`}</span>`}
      ${commit !== null && safeHtml`<code>${formatShortCommit(commit)}</code>`}
      <span>${renderRelativeTime(createdAt)}</span>
      ${label !== null && safeHtml`<a href="${toOrigin(label)}/">Open</a>`}
      ${renderPublishForm(addresses, view, deployment)}
    </span>
    ${error !== undefined && safeHtml`<p class="soft">${error}</p>`}
  </li>`;
}

/** Renders the button that makes a deployment live, if the deployment can be published and the user may publish it. */
function renderPublishForm(
  addresses: Addresses,
  { project, live, canRun }: Pick<PublishedSiteView, "project" | "live" | "canRun">,
  deployment: Deployment,
): SafeHtml | false {
  const { id, isLive, status, kind } = deployment;
  if (!canRun || isLive || status !== "ready" || kind === "preview") return false;
  return safeHtml`<form method="post" action="${addresses.publishDeployment(project.id, id)}">
    <button type="submit">${isOlder(deployment, live) ? "Roll back" : "Publish"}</button>
  </form>`;
}

interface DeploymentView extends Pick<
  PublishedSiteView,
  "project" | "live" | "toOrigin" | "canRun"
> {
  readonly deployment: Deployment;
  readonly details: DeploymentDetails;
}

/** The maximum number of changed files that the page lists. */
const maxListedFiles = 100;

const triggerTexts: Readonly<Record<Deployment["trigger"], string>> = {
  push: "a push",
  hook: "a push that the code host reported",
  poll: "a push that the service found",
  api: "the API",
  dashboard: "the dashboard",
  upload: "an uploaded archive",
};

/** Renders one deployment: its address, its origin, its result and its log. */
function renderDeploymentPage(addresses: Addresses, view: DeploymentView): SafeHtml {
  const { project, deployment, details, toOrigin } = view;
  const { subject, commit, ref, author, trigger, pages, problems, label, error } = deployment;
  const facts: readonly (readonly [string, HtmlValue | undefined])[] = [
    ["Address", label === null ? undefined : safeHtml`<a href="${toOrigin(label)}/">${toOrigin(label)}/</a>`], // prettier-ignore
    ["Changes", label === null || deployment.isLive ? undefined : safeHtml`<a href="${toOrigin(label)}/?diff">What readers would see differently</a>`], // prettier-ignore
    ["Commit", commit === null ? undefined : safeHtml`<code>${commit}</code>`],
    ["Branch or tag", ref ?? undefined],
    ["Author", author ?? undefined],
    ["Started by", [triggerTexts[trigger], formatActor(deployment.createdBy)]],
    ["Started", renderRelativeTime(deployment.createdAt)],
    ["Pages", pages === 0 ? undefined : pages],
    ["Problems", problems === null ? undefined : `${formatCount(problems.errors, "error")}, ${formatCount(problems.warnings, "warning")}`], // prettier-ignore
  ];
  const title = subject ?? "Deployment";
  const breadcrumbs = [["Deployments", addresses.deployments(project.id)] as const];
  const beside = safeHtml`${renderDeploymentBadge(deployment)} ${renderPublishForm(addresses, view, deployment)}`;
  return safeHtml`${renderPageHead(breadcrumbs, title, beside)}
    ${error !== undefined && safeHtml`<p class="notice">${error}</p>`}
    <dl class="facts">
      ${facts
        .filter(([, value]) => value !== undefined)
        .map(
          ([name, value]) =>
            safeHtml`<div>
              <dt>${name}</dt>
              <dd>${value ?? ""}</dd>
            </div>`,
        )}
    </dl>
    ${renderLog(details)} ${renderFiles(details)}`;
}

function renderLog({ log }: DeploymentDetails): SafeHtml | false {
  if (log.length === 0) return false;
  return safeHtml`<details class="log" open>
    <summary><h2>Log</h2></summary>
    <ol>
      ${log.map(({ at, text }) => safeHtml`<li>${renderClockTime(at)} <span>${text}</span></li>`)}
    </ol>
  </details>`;
}

function renderFiles({ filesChanged }: DeploymentDetails): SafeHtml | false {
  if (!filesChanged) return false;
  const files = (["added", "modified", "removed"] as const).flatMap((change) =>
    filesChanged[change].map((path) => ({ change, path })),
  );
  if (files.length === 0) return false;
  const unlistedCount = files.length - maxListedFiles;
  return safeHtml`<section aria-labelledby="files">
    <h2 id="files">Files of the commit</h2>
    <ul>
      ${files.slice(0, maxListedFiles).map(({ change, path }) => safeHtml`<li><code>${path}</code> ${change}</li>`)}
    </ul>
    ${unlistedCount > 0 && safeHtml`<p class="faint">And ${formatCount(unlistedCount, "more file")}.</p>`}
  </section>`;
}
