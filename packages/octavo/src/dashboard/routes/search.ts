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
/** The number of words at the end of a search that can name a page of the project that the other words name. */
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
  readonly about?: string;
}

/**
 * Adds the search over projects, pages and actions that the user may use. The script of the dashboard shows its results
 * in a dialog; without scripts it is a page.
 */
export function addSearchPage(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses, sendPage } = services;

  app.get("/search", createPageOptions("dashboard.use"), async (request, reply) => {
    const holder = getSignedInUser(request);
    const query = Query.parse(request.query);
    const current =
      query.project === undefined ? undefined : await projects.get(holder, query.project);
    const user = { holder, isOperator: request.isOperator };
    const results = await findResults(services, user, { current, search: query.search });
    return sendPage(request, reply, {
      title: "Search",
      projectId: current?.id,
      main: renderSearchPage(addresses, { results, current, search: query.search }),
    });
  });
}

interface SearchUser {
  readonly holder: SignedInUser;
  readonly isOperator: boolean;
}

interface Search {
  /** The project from whose pages the search was opened. */
  readonly current: Project | undefined;
  readonly search: string;
}

async function findResults(
  services: DashboardServices,
  user: SearchUser,
  { current, search }: Search,
): Promise<readonly Result[]> {
  const { addresses } = services;
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const named = await findProjects(services, user.holder, words.join(" "));
  const inCurrent = current ? listProjectResults(addresses, current, user.holder) : [];
  const found = [
    ...inCurrent.filter((result) => hasWords(result, words)),
    ...named.map(({ id, name, domain }): Result => ({
      kind: "project",
      href: addresses.project(id),
      text: name,
      about: domain,
    })),
    ...listMainResults(addresses, user).filter((result) => hasWords(result, words)),
    ...(await findPagesOfProjects(services, user.holder, {
      words,
      needsProject: current !== undefined,
    })),
  ];
  return [...new Map(found.map((result) => [`${result.kind} ${result.href}`, result])).values()];
}

async function findProjects(
  { listActiveProjects }: DashboardServices,
  holder: SignedInUser,
  search: string,
): Promise<readonly Project[]> {
  const active = await listActiveProjects(holder, { search, page: 1, pageSize: maxProjects });
  return active.projects.map(({ project }) => project);
}

/**
 * Finds pages by the name of their project and their own name, e.g. `docs settings`. Unless the search needs the name
 * of a project, a page's name alone finds it in the most recently active projects.
 */
async function findPagesOfProjects(
  services: DashboardServices,
  holder: SignedInUser,
  { words, needsProject }: { readonly words: readonly string[]; readonly needsProject: boolean },
): Promise<readonly Result[]> {
  const maxCount = Math.min(maxPageWords, needsProject ? words.length - 1 : words.length);
  for (let count = 1; count <= maxCount; count += 1) {
    const pageWords = words.slice(-count);
    const named = await findProjects(services, holder, words.slice(0, -count).join(" "));
    const results = named
      .slice(0, maxSearchedProjects)
      .flatMap((project) => listProjectResults(services.addresses, project, holder))
      .filter((result) => hasWords(result, pageWords));
    if (results.length > 0) return results;
  }
  return [];
}

function hasWords({ text }: Result, words: readonly string[]): boolean {
  const lowered = text.toLowerCase();
  return words.every((word) => lowered.includes(word));
}

function listMainResults(addresses: Addresses, user: SearchUser): readonly Result[] {
  const { holder } = user;
  const isLimited = holder.projectId !== null;
  const pages = listMainPages(addresses, user);
  return [
    ...pages.map(({ href, text }): Result => ({ kind: "page", href, text })),
    ...listActions([
      [!isLimited && hasRight(holder, "projects.write"), addresses.newProject, "Add a project"],
      [!isLimited && hasRight(holder, "keys.own"), `${addresses.keys}#make`, "Create an API key"],
      [hasRight(holder, "members.manage"), `${addresses.members}#invite`, "Invite a member"],
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
  holder: SignedInUser,
): readonly Result[] {
  const pages = listProjectPages(addresses, project, holder);
  const results = [
    ...pages.map(({ href, text }): Result => ({ kind: "page", href, text })),
    ...listActions([
      [hasRight(holder, "deployments.run"), addresses.deployments(project.id), "Publish"],
      [hasRight(holder, "exports.run"), `${addresses.exports(project.id)}#start`, "Export"],
      [hasRight(holder, "agent.run"), `${addresses.agent(project.id)}#ask`, "Ask an agent"],
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
  const shown = results.filter((result) => result.kind === kind);
  return (
    shown.length > 0 &&
    safeHtml`<section aria-labelledby="${kind}-results">
      <h2 id="${kind}-results">${title}</h2>
      <ul class="rows">
        ${shown.map(
          ({ href, text, about }) =>
            safeHtml`<li><a class="row" href="${href}">
              <span class="row-main">${renderIcon(kind)} <span class="row-title">${text}</span></span>
              <span class="faint">${about}</span></a></li>`,
        )}
      </ul>
    </section>`
  );
}
