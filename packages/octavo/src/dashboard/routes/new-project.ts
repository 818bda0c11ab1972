import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createInputError, isOctavoError } from "@octavo/site/core";
import { hostedRepository, formatCount } from "../../core/index.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import {
  ProjectForm,
  emptyProjectForm,
  readCredentials,
  renderCredentialFields,
  renderIdentityFields,
  renderModelField,
  renderRepositoryFields,
  toProjectFields,
} from "../pages/project-fields.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { FoundSite, RepositoryInspection } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderPageHead } from "../pages/parts.ts";

export function addNewProjectPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses, inspectRepository } = services;
  const path = "/projects/new";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    requireWholeOrganization(getSignedInUser(request), "add projects");
    return sendForm(services, request, { reply, form: emptyProjectForm });
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const user = getSignedInUser(request);
    requireWholeOrganization(user, "add projects");
    let form = emptyProjectForm;
    const attempt = await tryForm(services, { request, reply, field: "domain" }, async () => {
      form = parseForm(ProjectForm, request.body);
      const fields = projects.check(toProjectFields(form));
      if (fields.name === "") throw createInputError("name must not be empty.");
      return await projects.create(user.organizationId, fields, user.actor);
    });
    if (attempt.refused) return sendForm(services, request, { reply, form, ...attempt });
    return reply.redirect(addresses.project(attempt.result.id), 303);
  });

  app.post(`${path}/test`, createPageOptions("projects.write"), async (request, reply) => {
    requireWholeOrganization(getSignedInUser(request), "add projects");
    const form = parseForm(ProjectForm, request.body);
    const connectionTest = await testConnection();
    return sendForm(services, request, { reply, form, connectionTest });

    async function testConnection(): Promise<NewProjectView["connectionTest"]> {
      if (form.place === hostedRepository) {
        return {
          refusal:
            "There is nothing to test yet because the repository is empty until you push to it.",
        };
      }
      try {
        const { repository } = projects.check({ repository: form.repository });
        const credentials = readCredentials(form);
        const ref = form.ref === "" ? undefined : form.ref;
        const chosenCodeHost = form.codeHost === "" ? undefined : form.codeHost;
        const codeHost = projects.chooseCodeHost({ repository, codeHost: chosenCodeHost });
        return { inspection: await inspectRepository({ repository, credentials, ref, codeHost }) };
      } catch (error) {
        if (isOctavoError(error))
          return { refusal: error.message.replace(/^repository is /, "The address is ") };
        throw error;
      }
    }
  });
}

function sendForm(
  { addresses, agentJobs, sendPage }: DashboardServices,
  request: FastifyRequest,
  {
    reply,
    form,
    connectionTest,
    refused,
  }: Pick<NewProjectView, "form"> &
    Partial<Omit<NewProjectView, "form" | "defaultModel">> & { readonly reply: FastifyReply },
): FastifyReply {
  const view = { form, connectionTest, refused, defaultModel: agentJobs.defaultModel };
  return sendPage(request, reply, {
    title: "Add a project",
    section: "projects",
    main: renderNewProjectPage(addresses, view),
  });
}

interface NewProjectView {
  readonly form: ProjectForm;
  readonly defaultModel: string;
  /** The result of a connection test, or the reason why it failed. */
  readonly connectionTest:
    | { readonly inspection: RepositoryInspection }
    | { readonly refusal: string }
    | undefined;
  readonly refused: RefusedForm | undefined;
}

function renderNewProjectPage(addresses: Addresses, view: NewProjectView): SafeHtml {
  const { form, connectionTest, refused } = view;
  const test = `${addresses.newProject}/test`;
  return safeHtml`${renderPageHead([["Projects", addresses.projects]], "Add a project")}
    <form class="card settings" method="post" action="${addresses.newProject}">
      ${renderIdentityFields(form, refused)}
      ${renderRepositoryFields(form, {
        refused,
        inspection:
          connectionTest && "inspection" in connectionTest ? connectionTest.inspection : undefined,
        refHint: safeHtml`<span class="of-test">Test the connection to choose from its branches.</span>`,
        directoryHint: safeHtml`The folder with <code>docs.json</code>, such as <code>docs</code>. <span class="of-test">Leave it empty and test the connection to get a suggestion.</span>`,
      })}
      ${renderCredentialFields(false, refused)}
      <button
        type="submit"
        formaction="${test}#found"
        formnovalidate
        hx-post="${test}"
        hx-target="#found"
        hx-select="#found"
        hx-select-oob="#branch"
        hx-swap="outerHTML"
      >
        Test the connection
      </button>
      <section class="found" id="found" aria-live="polite" aria-label="Test of the connection">
        ${connectionTest && ("refusal" in connectionTest ? safeHtml`<p class="notice danger">${connectionTest.refusal}</p>` : renderFoundSites(connectionTest.inspection, form))}
      </section>
      ${renderModelField(form, view)}
      <button class="primary" type="submit">Add the project</button>
    </form>`;
}

/** The maximum number of branches that are listed by name. The remaining branches are only counted. */
const maxBranches = 8;

function renderFoundSites(
  { branches, hasMoreBranches, ref, sites, pages, pullRequestProblem }: RepositoryInspection,
  form: ProjectForm,
): SafeHtml {
  const unlistedCount = branches.length - maxBranches;
  const count = formatCount(branches.length, "branch", "branches");
  const chosenSite = sites.find(({ directory }) => directory === form.directory) ?? sites[0];
  return safeHtml`<p class="notice">
      <strong>The repository can be read.</strong> Checked <code>${ref}</code>.
      ${hasMoreBranches ? `More than ${count}` : count}:
      ${branches.slice(0, maxBranches).map((name) => safeHtml`<code>${name}</code> `)}
      ${unlistedCount > 0 && `and ${unlistedCount} more`}
    </p>
    ${
      pullRequestProblem !== undefined &&
      safeHtml`<p class="notice danger">
        <strong>Agent jobs and reviews are not fully available yet.</strong> ${pullRequestProblem}
      </p>`
    }
    ${
      sites.length === 0
        ? safeHtml`<p class="notice">
            No <code>docs.json</code> was found. ${
              pages === 0
                ? "There are no Markdown pages either. Add some before you export the site."
                : `The repository's ${formatCount(pages, "Markdown page")} will be shown as a site without a configuration.`
            }
          </p>`
        : safeHtml`<fieldset>
            <legend>Where the site was found</legend>
            ${sites.map((site) => renderSiteChoice(site, site === chosenSite))}
          </fieldset>`
    }`;
}

function renderSiteChoice(
  { directory, configuration, pages, problem }: FoundSite,
  isChosen: boolean,
): SafeHtml {
  const id = `found-${directory}`;
  return safeHtml`<p class="check">
      <input type="radio" id="${id}" name="found" value="${directory}" ${isChosen && safeHtml`checked`} />
      <label for="${id}"
        >${directory === "." ? "The root" : safeHtml`<code>${directory}</code>`}, with
        <code>${configuration}</code> and ${formatCount(pages, "page")}</label
      >
    </p>
    ${problem !== undefined && safeHtml`<p class="notice danger">${problem}</p>`}`;
}
