import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { createInputError } from "@octavo/site/core";
import {
  commitConventions,
  formatSourceSpec,
  hasRight,
  hostedRepository,
  isOwnCodeHost,
  parseSourceSpec,
} from "../../core/index.ts";
import type { CommitConvention, SourceSpec } from "../../core/index.ts";
import { maxSources } from "../../projects/index.ts";
import type {
  Project,
  PullRequestSettings,
  PullRequestSettingsChanges,
} from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { parseForm, tryForm } from "../form.ts";
import type { RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderField, renderFieldRefusal, renderPageHead } from "../pages/parts.ts";
import {
  ProjectForm,
  emptyProjectForm,
  renderCredentialFields,
  renderIdentityFields,
  renderModelField,
  renderRepositoryFields,
  toProjectFields,
} from "../pages/project-fields.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import { findProject, renderSettingsNav, sendProjectPage, toProjectScope } from "./project-page.ts";

const textField = z.string().trim().max(5_000, "One of the fields is too long.").default("");
/** The form as browsers send it. An unchecked box is omitted. */
const Settings = z.object({
  draft: z.string().default(""),
  labels: textField,
  reviewers: textField,
  branchPrefix: textField,
  authorName: textField,
  authorEmail: textField,
  commitConvention: z.enum(["", ...commitConventions]).default(""),
});

const Folder = z.object({ directory: textField });
const Deletion = z.object({ confirmation: textField });

/** Adds the page of a project's settings, and the forms that change or delete the project itself. */
export function addProjectSettingsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses } = services;
  const path = "/projects/:projectId/settings";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const isSaved = new URLSearchParams(request.url.split("?")[1]).has("saved");
    const form = toSettingsForm(project.pullRequests);
    return sendSettings(services, request, { reply, project, form, isSaved });
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    let form = toSettingsForm(project.pullRequests);
    const attempt = { request, reply, field: "branchPrefix" };
    const { refused } = await tryForm(services, attempt, async () => {
      form = parseForm(Settings, request.body);
      const pullRequests = toChanges(form);
      return await projects.update(getSignedInUser(request), project.id, { pullRequests });
    });
    if (refused) return sendSettings(services, request, { reply, project, form, refused });
    return reply.redirect(`${addresses.projectSettings(project.id)}?saved`, 303);
  });
  addProjectFieldsPages(app, services);
}

/** Adds the forms that change and delete the project itself. */
function addProjectFieldsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, addresses } = services;

  app.post(
    "/projects/:projectId/settings/general",
    createPageOptions("projects.write"),
    async (request, reply) => {
      const { project } = await findProject(projects, request);
      let projectForm = toProjectForm(project);
      const { refused } = await tryForm(services, { request, reply, field: "domain" }, async () => {
        projectForm = parseForm(ProjectForm, request.body);
        if (projectForm.name === "") throw createInputError("name must not be empty.");
        const fields = toProjectFields(projectForm);
        return await projects.update(getSignedInUser(request), project.id, fields);
      });
      if (!refused) return reply.redirect(`${addresses.projectSettings(project.id)}?saved`, 303);
      const form = toSettingsForm(project.pullRequests);
      return sendSettings(services, request, { reply, project, form, projectForm, refused });
    },
  );

  app.post(
    "/projects/:projectId/settings/folder",
    createPageOptions("projects.write"),
    async (request, reply) => {
      const { project, user } = await findProject(projects, request);
      const { directory } = parseForm(Folder, request.body);
      await projects.update(user, project.id, { directory });
      if (hasRight(user, "deployments.run")) {
        await deployments.start(toProjectScope(project, user), { trigger: "dashboard" });
      }
      return reply.redirect(addresses.project(project.id), 303);
    },
  );

  app.post(
    "/projects/:projectId/delete",
    createPageOptions("projects.write"),
    async (request, reply) => {
      const { project, user } = await findProject(projects, request);
      const attempt = { request, reply, field: "confirmation" };
      const { refused } = await tryForm(services, attempt, async () => {
        if (parseForm(Deletion, request.body).confirmation !== project.domain) {
          throw createInputError(
            `The project was not deleted. To confirm, type its domain, ${project.domain}.`,
          );
        }
        await projects.remove(user, project.id);
      });
      if (!refused) return reply.redirect(addresses.projects, 303);
      const form = toSettingsForm(project.pullRequests);
      return sendSettings(services, request, { reply, project, form, refused });
    },
  );
}

/** Converts the form to changes. An empty field resets its setting. */
function toChanges(form: SettingsForm): PullRequestSettingsChanges {
  const { draft, labels, reviewers, branchPrefix, commitConvention } = form;
  const author = { name: form.authorName, email: form.authorEmail };
  return {
    draft: draft !== "",
    labels: parseNames(labels),
    reviewers: parseNames(reviewers),
    branchPrefix: branchPrefix === "" ? null : branchPrefix,
    author: author.name === "" && author.email === "" ? null : author,
    commitConvention: commitConvention === "" ? null : commitConvention,
  };
}

function parseNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

function toProjectForm(project: Project): ProjectForm {
  const isHosted = project.repository === hostedRepository;
  return {
    ...emptyProjectForm,
    name: project.name,
    domain: project.domain,
    place: isHosted ? hostedRepository : "address",
    repository: isHosted ? "" : project.repository,
    codeHost: isHosted ? "" : project.codeHost,
    ref: project.ref ?? "",
    directory: project.directory === "." ? "" : project.directory,
    model: project.model ?? "",
  };
}

interface SettingsAnswer {
  readonly reply: FastifyReply;
  readonly project: Project;
  readonly form: SettingsForm;
  /** The form as it was sent. Defaults to the project's fields. */
  readonly projectForm?: ProjectForm;
  readonly isSaved?: boolean;
  readonly refused?: RefusedForm | undefined;
}

function sendSettings(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, ...answer }: SettingsAnswer,
): Promise<FastifyReply> {
  const { addresses, agentJobs } = services;
  const { project, projectForm = toProjectForm(project) } = answer;
  const canDelete = getSignedInUser(request).projectId === null;
  const view = { ...answer, projectForm, canDelete, defaultModel: agentJobs.defaultModel };
  return sendProjectPage(services, request, reply, {
    project,
    tab: "settings",
    title: "Settings",
    main: renderProjectSettingsPage(addresses, view),
  });
}

/** The fields of the form as a browser sends them. */
interface SettingsForm {
  /** Empty if pull requests are not opened as drafts. */
  readonly draft: string;
  /** The labels, separated by commas. The format of `reviewers` is the same. */
  readonly labels: string;
  readonly reviewers: string;
  readonly branchPrefix: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly commitConvention: CommitConvention | "";
}

interface SettingsView {
  readonly project: Project;
  /** The pull request settings. */
  readonly form: SettingsForm;
  readonly projectForm: ProjectForm;
  readonly defaultModel: string;
  /** Whether the user may delete the project. */
  readonly canDelete: boolean;
  readonly isSaved?: boolean;
  readonly refused?: RefusedForm | undefined;
}

function toSettingsForm(settings: PullRequestSettings): SettingsForm {
  const { draft, labels, reviewers, branchPrefix, author, commitConvention } = settings;
  return {
    draft: draft ? "on" : "",
    labels: labels.join(", "),
    reviewers: reviewers.join(", "),
    branchPrefix,
    authorName: author?.name ?? "",
    authorEmail: author?.email ?? "",
    commitConvention: commitConvention ?? "",
  };
}

function renderProjectSettingsPage(addresses: Addresses, view: SettingsView): SafeHtml {
  const { project, form, isSaved, refused } = view;
  return safeHtml`${renderSettingsNav(addresses, project, "general")} ${renderPageHead([], "Settings")}
    ${isSaved && safeHtml`<p class="notice" role="status">Saved.</p>`}
    ${renderGeneralSection(addresses, view)}
    <section class="card" aria-labelledby="pull-requests">
      <h2 id="pull-requests">Pull requests of agent jobs</h2>
      <form class="settings" method="post" action="${addresses.projectSettings(project.id)}">
        <p class="check">
          <input id="draft" name="draft" type="checkbox" ${form.draft !== "" && safeHtml`checked`} />
          <label for="draft">Open them as drafts</label>
        </p>
        ${isOwnCodeHost(project.codeHost) ? noExtrasNote : renderExtraFields(form, refused)}
        ${renderField({ name: "branchPrefix", label: "Prefix of branches", value: form.branchPrefix, placeholder: "octavo/", refused })}
        ${renderField({ name: "authorName", label: "Author of the commits", value: form.authorName, placeholder: "this service", refused })}
        ${renderField({ name: "authorEmail", label: "Email address of the author", value: form.authorEmail, placeholder: "docs@example.com", refused })}
        ${renderConventionField(form)}
        <p class="faint">
          ${
            project.signingPublicKey === null
              ? "Commits are not signed."
              : safeHtml`Commits are signed with <code>${project.signingPublicKey}</code>.`
          }
          The key is set with the API or <code>octavo projects set-pull-requests</code>.
        </p>
        <button class="primary" type="submit">Save</button>
      </form>
    </section>
    ${renderDeletionSection(addresses, view)}`;
}

function renderGeneralSection(addresses: Addresses, view: SettingsView): SafeHtml {
  const { project, projectForm, refused } = view;
  const storedNote = safeHtml`Empty fields leave the stored credentials unchanged. Changing the address removes the credentials.`;
  return safeHtml`<section class="card" aria-labelledby="general">
    <h2 id="general">Project</h2>
    <form class="settings" method="post" action="${addresses.projectSettings(project.id)}/general">
      ${renderIdentityFields(projectForm, refused)} ${renderRepositoryFields(projectForm, { refused })}
      ${renderCredentialFields(storedNote, refused)}
      <p class="check">
        <input id="removeCredentials" name="removeCredentials" type="checkbox" />
        <label for="removeCredentials">Remove the stored credentials</label>
      </p>
      ${renderModelField(projectForm, view)}
      <button class="primary" type="submit">Save</button>
    </form>
  </section>`;
}

function renderDeletionSection(
  addresses: Addresses,
  { project, canDelete, refused }: SettingsView,
): SafeHtml {
  const isHosted = project.repository === hostedRepository;
  return safeHtml`<section class="card" aria-labelledby="delete">
    <h2 id="delete">Delete this project</h2>
    <p>This cannot be undone. It deletes:</p>
    <ul class="consequences">
      <li>its exports with their bundles, and its previews, whose links stop working;</li>
      <li>its agent jobs with their steps; running jobs end;</li>
      <li>API keys that are limited to it, its settings, credentials and signing key;</li>
      <li>
        ${
          isHosted
            ? "its repository with all branches and pull requests. Clone the repository first if you need it."
            : "pull requests that this service hosts for it. The repository itself is not changed."
        }
      </li>
    </ul>
    ${
      canDelete
        ? safeHtml`<form class="settings" method="post" action="${addresses.project(project.id)}/delete">
            ${renderField({ name: "confirmation", label: `To confirm, type the project’s domain: ${project.domain}`, isRequired: true, refused })}
            <button class="danger" type="submit">Delete ${project.name}</button>
          </form>`
        : safeHtml`<p class="notice">
            You are signed in with a key that is limited to this project, and it cannot delete the project.
          </p>`
    }
  </section>`;
}

const noExtrasNote = safeHtml`<p class="faint">
  Pull requests on this service do not have labels or reviewers.
</p>`;

function renderExtraFields(
  { labels, reviewers }: SettingsForm,
  refused: RefusedForm | undefined,
): SafeHtml {
  return safeHtml`${renderField({ name: "labels", label: "Labels, separated by commas", value: labels, placeholder: "docs", refused })}
  ${renderField({ name: "reviewers", label: "Reviewers, separated by commas", value: reviewers, placeholder: "octocat, acme/docs", refused })}`;
}

const conventionLabels: readonly (readonly [
  value: SettingsForm["commitConvention"],
  text: string,
])[] = [
  ["", "like the newest commits"],
  ["conventional", "docs: explain how to rotate keys"],
  ["plain", "Explain how to rotate keys"],
];

function renderConventionField({ commitConvention }: SettingsForm): SafeHtml {
  const options = conventionLabels.map(
    ([value, text]) =>
      safeHtml`<option value="${value}" ${value === commitConvention && safeHtml`selected`}>${text}</option>`,
  );
  return safeHtml`<div>
    <label for="commitConvention">Titles of commits and pull requests</label>
    <select id="commitConvention" name="commitConvention">
      ${options}
    </select>
  </div>`;
}

const Sources = z.object({
  sources: z.string().max(50_000, "The list of sources is too long.").default(""),
});
const Saved = z.object({ saved: z.string().optional() });

export function addProjectSourcesPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses } = services;
  const path = "/projects/:projectId/sources";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const isSaved = Saved.parse(request.query).saved !== undefined;
    return sendSources(services, request, { reply, project, isSaved });
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const { refused } = await tryForm(services, { request, reply, field: "sources" }, async () => {
      const sources = readSources(parseForm(Sources, request.body).sources, project);
      return await projects.update(getSignedInUser(request), project.id, { sources });
    });
    if (refused) return sendSources(services, request, { reply, project, refused });
    return reply.redirect(`${addresses.projectSources(project.id)}?saved`, 303);
  });
}

/**
 * Parses the sources. A line that equals a current source as shown is read as that source, even if its address would be
 * parsed differently.
 */
function readSources(text: string, { sources }: Project): readonly SourceSpec[] {
  const currentSources = new Map(sources.map((source) => [formatSourceSpec(source), source]));
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => currentSources.get(line) ?? parseSourceSpec(line));
}

interface SourcesAnswer extends ProjectSourcesView {
  readonly reply: FastifyReply;
}

function sendSources(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, ...view }: SourcesAnswer,
): Promise<FastifyReply> {
  return sendProjectPage(services, request, reply, {
    project: view.project,
    tab: "settings",
    title: "Sources",
    main: renderProjectSourcesPage(services.addresses, view),
  });
}

interface ProjectSourcesView {
  readonly project: Project;
  readonly isSaved?: boolean;
  readonly refused?: RefusedForm | undefined;
}

/** Renders the form for the repositories that a project's agents may read, one per line. */
function renderProjectSourcesPage(
  addresses: Addresses,
  { project, isSaved, refused }: ProjectSourcesView,
): SafeHtml {
  const sentText = refused?.sentFields["sources"];
  const text =
    typeof sentText === "string" ? sentText : project.sources.map(formatSourceSpec).join("\n");
  return safeHtml`${renderSettingsNav(addresses, project, "sources")} ${renderPageHead([], "Sources")}
    ${
      isSaved &&
      safeHtml`<p class="notice" role="status">Saved. Agents use these sources from their next turn.</p>`
    }
    <section class="card">
      <form class="prompt" method="post" action="${addresses.projectSources(project.id)}">
        <label for="sources">Repositories that agents may read, one per line</label>
        ${renderFieldRefusal(refused, { name: "sources", label: "Sources" })}
        <textarea
          id="sources"
          name="sources"
          rows="4"
          spellcheck="false"
          placeholder="https://github.com/example/engine@main:src"
          ${refused && safeHtml`aria-invalid="true" aria-describedby="sources-refusal"`}
        >
${text}</textarea>
        <div class="prompt-end">
          <p class="faint">
            Enter at most ${maxSources}, each as <code>address@ref:folder</code>; the ref is a branch, tag or
            commit. Agents never change them. Stored credentials are kept for each address; set them with the
            API.
          </p>
          <button class="primary" type="submit">Save</button>
        </div>
      </form>
    </section>`;
}
