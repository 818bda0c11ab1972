import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOwnCodeHost, formatCount, hasRight, hostedRepository } from "../../core/index.ts";
import type { Project, Projects, SignedInUser } from "../../projects/index.ts";
import type { DashboardPage } from "../layout.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Deployment } from "../../jobs/index.ts";
import type { Site } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";
import { liveInterval } from "../layout.ts";
import { safeHtml } from "../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../safe-html.ts";
import { hasUnfinishedDeployment, renderDeploymentBadge } from "../pages/parts.ts";

interface ProjectPage extends Omit<
  DashboardPage,
  "user" | "isOperator" | "section" | "frame" | "projectId"
> {
  readonly project: Project;
  readonly tab: ProjectTab;
}

/** Sends a page of a project, below the project's state and tabs. */
export async function sendProjectPage(
  services: DashboardServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { project, tab, title, ...page }: ProjectPage,
): Promise<FastifyReply> {
  const { deployments, publishedSites, addresses } = services;
  const [site, live, newest, openPulls] = await Promise.all([
    publishedSites.read(project),
    deployments.findLive(project.id),
    deployments.findNewest(project.id),
    countOpenPulls(services, project),
  ]);
  return services.sendPage(request, reply, {
    ...page,
    title: tab === "overview" ? title : `${title} · ${project.name}`,
    section: "projects",
    projectId: project.id,
    frame: renderProjectFrame(addresses, {
      project,
      tab,
      site,
      user: getSignedInUser(request),
      live: live?.job,
      latest: newest?.job,
      openPulls,
    }),
  });
}

/** Returns the number of open pull requests, or undefined if pull requests are on another host. */
async function countOpenPulls(
  { reviews }: DashboardServices,
  { id, codeHost }: Project,
): Promise<number | undefined> {
  if (!isOwnCodeHost(codeHost)) return undefined;
  return (await reviews.list(id, { state: "open", limit: maxCountedPulls })).length;
}

/**
 * Returns the project that the path names, and the signed-in user. Throws `not_found` if the project is outside the
 * user's scope.
 */
export async function findProject(
  projects: Projects,
  request: FastifyRequest,
): Promise<{ readonly project: Project; readonly user: SignedInUser }> {
  const user = getSignedInUser(request);
  const { projectId } = request.params as { readonly projectId: string };
  return { project: await projects.get(user, projectId), user };
}

/** Returns a scope that is limited to one project, for the user's actions in that project. */
export function toProjectScope({ organizationId, id }: Project, user?: SignedInUser) {
  return { organizationId, projectId: id, actor: user?.actor };
}

const PageQuery = z.object({ before: z.string().max(40).optional().catch(undefined) });

/** Returns the `before` parameter of the request, which selects a later page of a list. */
export function readBefore(request: FastifyRequest): string | undefined {
  return PageQuery.parse(request.query).before;
}

/** The part of a project that a page belongs to. */
type ProjectTab =
  | "overview"
  | "deployments"
  | "exports"
  | "agent"
  | "pulls"
  | "problems"
  | "settings";

/** The state of a project, which is shown at the top of each of its pages. */
interface ProjectFrame {
  readonly project: Project;
  readonly user: SignedInUser;
  readonly tab: ProjectTab;
  readonly site: Site;
  /** The deployment that readers see. */
  readonly live: Deployment | undefined;
  /** The newest deployment. */
  readonly latest: Deployment | undefined;
  /** The number of open pull requests; undefined if pull requests are on another host. */
  readonly openPulls: number | undefined;
}

/** The number up to which open pull requests are counted. */
const maxCountedPulls = 20;

/** Renders the name and the state of a project, the next action, and the tabs. */
function renderProjectFrame(addresses: Addresses, frame: ProjectFrame): SafeHtml {
  const { project, tab } = frame;
  const name =
    tab === "overview"
      ? safeHtml`<h1>${project.name}</h1>`
      : safeHtml`<p class="project-title"><a href="${addresses.project(project.id)}">${project.name}</a></p>`;
  const isChanging = frame.latest && hasUnfinishedDeployment({ deployments: [frame.latest] });
  const refresh =
    isChanging &&
    safeHtml`hx-get="${listTabs(addresses, project.id).find((one) => one.tab === tab)?.href}" hx-select="#project" hx-trigger="every ${liveInterval}"
    hx-swap="outerMorph"`;
  return safeHtml`<div class="project-frame" id="project" ${refresh}><div>
    <nav class="way" aria-label="Breadcrumb">
      <ol>
        <li><a href="${addresses.projects}">Projects</a></li>
      </ol>
    </nav>
    <div class="head">${name} ${renderNextAction(addresses, frame)}</div>
    ${renderState(addresses, frame)} ${renderTabs(addresses, frame)}
  </div></div>`;
}

interface ProjectPageLink {
  readonly href: string;
  readonly text: string;
}

interface TabLink extends ProjectPageLink {
  readonly tab: ProjectTab;
}

/** Returns links to the first page of each tab. */
function listTabs(addresses: Addresses, projectId: string): readonly TabLink[] {
  return [
    { tab: "overview", href: addresses.project(projectId), text: "Overview" },
    { tab: "deployments", href: addresses.deployments(projectId), text: "Deployments" },
    { tab: "exports", href: addresses.exports(projectId), text: "Exports" },
    { tab: "agent", href: addresses.agent(projectId), text: "Agent" },
    { tab: "pulls", href: addresses.pulls(projectId), text: "Pull requests" },
    { tab: "problems", href: addresses.problems(projectId), text: "Problems" },
    { tab: "settings", href: addresses.projectSettings(projectId), text: "Settings" },
  ];
}

/** Returns the tabs that the project has and the user may open. */
function listOpenTabs(
  addresses: Addresses,
  project: Project,
  user: SignedInUser,
): readonly TabLink[] {
  return listTabs(addresses, project.id).filter(
    ({ tab }) =>
      (tab !== "pulls" || isOwnCodeHost(project.codeHost)) &&
      (tab !== "settings" || hasRight(user, "projects.write")),
  );
}

/** Returns the pages of a project that the user may open: its tabs, and the pages of its settings. */
export function listProjectPages(
  addresses: Addresses,
  project: Project,
  user: SignedInUser,
): readonly ProjectPageLink[] {
  const openTabs = listOpenTabs(addresses, project, user);
  if (!hasRight(user, "projects.write")) return openTabs;
  const settings = listSettingsPages(addresses, project).slice(1);
  return [...openTabs, ...settings.map(({ href, text }) => ({ href, text: `Settings: ${text}` }))];
}

function renderState(
  addresses: Addresses,
  { project, site, live, latest }: ProjectFrame,
): SafeHtml {
  // After a rollback, readers see an older deployment, so the latest deployment is shown only if it is unfinished or
  // failed.
  const isLatestUnfinished = latest && ["queued", "building", "failed"].includes(latest.status);
  const shownDeployment = isLatestUnfinished || !live ? latest : live;
  return safeHtml`<p class="project-state">
    ${
      live
        ? safeHtml`<a href="${site.url}/">${site.url.replace(/^https?:\/\//, "")}</a>`
        : safeHtml`<span class="faint">Not published yet</span>`
    }
    ${
      shownDeployment &&
      safeHtml`<span>${renderDeploymentBadge(shownDeployment)}
          <a class="plain" href="${addresses.deployment(project.id, shownDeployment.id)}"
            >${shownDeployment.subject ?? (shownDeployment.kind === "upload" ? "An uploaded folder" : "A deployment")}</a
          >${shownDeployment.commit !== null && safeHtml` <code>${formatShortCommit(shownDeployment.commit)}</code>`}</span
        >
        <span class="faint">${renderRelativeTime(shownDeployment.publishedAt ?? shownDeployment.createdAt)}</span>`
    }
    ${
      live &&
      !site.isAutomatic &&
      safeHtml`<a href="${addresses.deployments(project.id)}">Pushes are not published</a>`
    }
  </p>`;
}

/** Renders the most important next action for the state of the project. */
function renderNextAction(addresses: Addresses, frame: ProjectFrame): SafeHtml | false {
  const { project, user, live, latest, openPulls = 0 } = frame;
  if (latest && hasUnfinishedDeployment({ deployments: [latest] })) return false;
  if (latest?.status === "failed") {
    return renderActionLink(addresses.deployment(project.id, latest.id), "See what failed");
  }
  if (!live) return renderFirstAction(addresses, frame);
  if (openPulls > 0) {
    return renderActionLink(
      addresses.pulls(project.id),
      openPulls >= maxCountedPulls
        ? "Review the pull requests"
        : `Review ${formatCount(openPulls, "pull request")}`,
    );
  }
  const errors = live.problems?.errors ?? 0;
  if (errors > 0)
    return renderActionLink(addresses.problems(project.id), `See ${formatCount(errors, "error")}`);
  return (
    hasRight(user, "agent.run") &&
    frame.tab !== "agent" &&
    renderActionLink(addresses.agent(project.id), "Ask an agent")
  );
}

/** Renders the action that leads to the first deployment. */
function renderFirstAction(
  addresses: Addresses,
  { project, user, latest }: ProjectFrame,
): SafeHtml | false {
  if (!latest && project.repository === hostedRepository) {
    return (
      hasRight(user, "exports.run") &&
      renderActionLink(`${addresses.project(project.id)}#push`, "Push your site")
    );
  }
  return (
    hasRight(user, "deployments.run") &&
    safeHtml`<form method="post" action="${addresses.deployments(project.id)}">
      <button class="primary" type="submit">Publish</button>
    </form>`
  );
}

function renderActionLink(href: string, text: string): SafeHtml {
  return safeHtml`<a class="button primary" href="${href}">${text}</a>`;
}

function renderTabs(addresses: Addresses, frame: ProjectFrame): SafeHtml {
  const { project, user, live, openPulls = 0 } = frame;
  const problems = live?.problems ? live.problems.errors + live.problems.warnings : 0;
  const counts: Partial<Record<ProjectTab, HtmlValue>> = {
    pulls: renderTabCount(openPulls, maxCountedPulls),
    problems: renderTabCount(problems),
  };
  return safeHtml`<nav class="tabs" aria-label="Project">
    ${listOpenTabs(addresses, project, user).map(
      ({ tab, href, text }) =>
        safeHtml`<a href="${href}" ${tab === frame.tab && safeHtml`aria-current="page"`}>${text}${counts[tab]}</a>`,
    )}
  </nav>`;
}

/** Renders a count, followed by a plus sign if it reached the counting limit. */
function renderTabCount(count: number, limit = Infinity): HtmlValue {
  if (count === 0) return false;
  return safeHtml` <span class="tab-count">${count >= limit ? `${count}+` : count}</span>`;
}

/** The pages of a project's settings. */
type SettingsPage = "general" | "site" | "versions" | "pushes" | "sources" | "notes";

interface SettingsLink extends ProjectPageLink {
  readonly page: SettingsPage;
}

function listSettingsPages(
  addresses: Addresses,
  { id }: Pick<Project, "id">,
): readonly SettingsLink[] {
  return [
    { page: "general", href: addresses.projectSettings(id), text: "General" },
    { page: "site", href: addresses.site(id), text: "Site" },
    { page: "versions", href: addresses.siteVersions(id), text: "Versions" },
    { page: "pushes", href: addresses.hook(id), text: "Pushes" },
    { page: "sources", href: addresses.projectSources(id), text: "Sources" },
    { page: "notes", href: addresses.reviewNotes(id), text: "Notes for agents" },
  ];
}

/** Renders the links between the pages of a project's settings. */
export function renderSettingsNav(
  addresses: Addresses,
  project: Pick<Project, "id">,
  current: SettingsPage,
): SafeHtml {
  return safeHtml`<nav class="filters" aria-label="Settings">
    ${listSettingsPages(addresses, project).map(
      ({ page, href, text }) =>
        safeHtml`<a href="${href}" ${page === current && safeHtml`aria-current="page"`}>${text}</a>`,
    )}
  </nav>`;
}
