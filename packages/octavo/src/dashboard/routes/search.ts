import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { hasRight } from "../../core/index.ts";
import type { Project, SignedInUser } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderIcon } from "../icons.ts";
import { listMainPages } from "../layout.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  maxSearchLength,
  renderEmptyNote,
  renderPageHead,
  renderSearchForm,
} from "../pages/parts.ts";
import { listProjectPages } from "./project-page.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

/** The maximum numbers of projects that a search shows, and of projects whose pages it searches. */
const maxProjects = 8;
const maxSearchedProjects = 3;
/** The maximum number of words at the end of a search that name a page, e.g. `settings` in `docs settings`. */
const maxPageWords = 2;

const Query = z.object({
  search: z.string().trim().max(maxSearchLength).catch(""),
  project: z.string().max(40).optional().catch(undefined),
});

interface Result {
  readonly kind: "project" | "page" | "action";
  readonly href: string;
  readonly text: string;
  /** The project of a page or action, or the domain of a project. */
  readonly context?: string;
}

/**
 * Adds the search for the projects, pages and actions that the user may use. The dashboard's script shows the results
 * in a dialog; without scripts, they are a page.
 */
export function addSearchPage(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses, sendPage } = services;

  app.get("/search", createPageOptions("dashboard.use"), async (request, reply) => {
    const user = getSignedInUser(request);
    const query = Query.parse(request.query);
    const current =
      query.project === undefined ? undefined : await projects.get(user, query.project);
    const searcher = { user, isOperator: request.isOperator };
    const results = await findResults(services, searcher, { current, search: query.search });
    return sendPage(request, reply, {
      title: "Search",
      projectId: current?.id,
      main: renderSearchPage(addresses, { results, current, search: query.search }),
    });
  });
}

interface SearchUser {
  readonly user: SignedInUser;
  readonly isOperator: boolean;
}

interface Search {
  /** The project from whose pages the search was opened. */
  readonly current: Project | undefined;
  readonly search: string;
}

async function findResults(
  services: DashboardServices,
  searcher: SearchUser,
  { current, search }: Search,
): Promise<readonly Result[]> {
  const { addresses } = services;
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const namedProjects = await findProjects(services, searcher.user, words.join(" "));
  const currentResults = current ? listProjectResults(addresses, current, searcher.user) : [];
  const results = [
    ...currentResults.filter((result) => hasWords(result, words)),
    ...namedProjects.map(({ id, name, domain }): Result => ({
      kind: "project",
      href: addresses.project(id),
      text: name,
      context: domain,
    })),
    ...listMainResults(addresses, searcher).filter((result) => hasWords(result, words)),
    ...(await findPagesOfProjects(services, searcher.user, {
      words,
      isProjectRequired: current !== undefined,
    })),
  ];
  return [...new Map(results.map((result) => [`${result.kind} ${result.href}`, result])).values()];
}

async function findProjects(
  { listActiveProjects }: DashboardServices,
  user: SignedInUser,
  search: string,
): Promise<readonly Project[]> {
  const active = await listActiveProjects(user, { search, page: 1, pageSize: maxProjects });
  return active.projects.map(({ project }) => project);
}

/**
 * Finds pages by the names of the project and the page, e.g. `docs settings`. Unless `isProjectRequired`, a search can
 * also consist of a page's name alone, which is then searched for in the most recently active projects.
 */
async function findPagesOfProjects(
  services: DashboardServices,
  user: SignedInUser,
  {
    words,
    isProjectRequired,
  }: { readonly words: readonly string[]; readonly isProjectRequired: boolean },
): Promise<readonly Result[]> {
  const maxCount = Math.min(maxPageWords, isProjectRequired ? words.length - 1 : words.length);
  for (let count = 1; count <= maxCount; count += 1) {
    const pageWords = words.slice(-count);
    const namedProjects = await findProjects(services, user, words.slice(0, -count).join(" "));
    const results = namedProjects
      .slice(0, maxSearchedProjects)
      .flatMap((project) => listProjectResults(services.addresses, project, user))
      .filter((result) => hasWords(result, pageWords));
    if (results.length > 0) return results;
  }
  return [];
}

function hasWords({ text }: Result, words: readonly string[]): boolean {
  const lowerCaseText = text.toLowerCase();
  return words.every((word) => lowerCaseText.includes(word));
}

function listMainResults(addresses: Addresses, searcher: SearchUser): readonly Result[] {
  const { user } = searcher;
  const isLimited = user.projectId !== null;
  const pages = listMainPages(addresses, searcher);
  return [
    ...pages.map(({ href, text }): Result => ({ kind: "page", href, text })),
    ...listActions([
      [!isLimited && hasRight(user, "projects.write"), addresses.newProject, "Add a project"],
      [!isLimited && hasRight(user, "keys.own"), `${addresses.keys}#make`, "Create an API key"],
      [hasRight(user, "members.manage"), `${addresses.members}#invite`, "Invite a member"],
      [
        pages.some(({ name }) => name === "webhooks"),
        `${addresses.webhooks}#make`,
        "Create a webhook",
      ],
    ]),
  ];
}

function listProjectResults(
  addresses: Addresses,
  project: Project,
  user: SignedInUser,
): readonly Result[] {
  const pages = listProjectPages(addresses, project, user);
  const results = [
    ...pages.map(({ href, text }): Result => ({ kind: "page", href, text })),
    ...listActions([
      [hasRight(user, "deployments.run"), addresses.deployments(project.id), "Publish"],
      [hasRight(user, "exports.run"), `${addresses.exports(project.id)}#start`, "Export"],
      [hasRight(user, "agent.run"), `${addresses.agent(project.id)}#ask`, "Ask an agent"],
    ]),
  ];
  return results.map((result) => ({ ...result, about: project.name }));
}

function listActions(
  actions: readonly (readonly [isAllowed: boolean, href: string, text: string])[],
): readonly Result[] {
  return actions
    .filter(([isAllowed]) => isAllowed)
    .map(([, href, text]) => ({ kind: "action", href, text }));
}

interface SearchView extends Search {
  readonly results: readonly Result[];
}

const groups = [
  ["project", "Projects"],
  ["page", "Pages"],
  ["action", "Actions"],
] as const satisfies readonly (readonly [Result["kind"], string])[];

function renderSearchPage(
  addresses: Addresses,
  { current, search, results }: SearchView,
): SafeHtml {
  return safeHtml`${renderPageHead([], "Search")}
    ${renderSearchForm(addresses.search(), {
      search,
      placeholder: "A project, a page or an action",
      hidden: current && safeHtml`<input type="hidden" name="project" value="${current.id}" />`,
    })}
    <div id="results">
      ${results.length === 0 && renderEmptyNote("Nothing found. Try part of the name.")}
      ${groups.map(([kind, title]) => renderGroup(kind, title, results))}
    </div>`;
}

function renderGroup(
  kind: Result["kind"],
  title: string,
  results: readonly Result[],
): SafeHtml | false {
  const groupResults = results.filter((result) => result.kind === kind);
  return (
    groupResults.length > 0 &&
    safeHtml`<section aria-labelledby="${kind}-results">
      <h2 id="${kind}-results">${title}</h2>
      <ul class="rows">
        ${groupResults.map(
          ({ href, text, context }) =>
            safeHtml`<li><a class="row" href="${href}">
              <span class="row-main">${renderIcon(kind)} <span class="row-title">${text}</span></span>
              <span class="faint">${context}</span></a></li>`,
        )}
      </ul>
    </section>`
  );
}
