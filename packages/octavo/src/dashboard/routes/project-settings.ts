import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { commitConventions } from "../../core/index.ts";
import type { Project, PullRequestSettingsChanges } from "../../projects/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderProjectSettingsPage, toSettingsForm } from "../pages/project-settings.ts";
import type { SettingsForm } from "../pages/project-settings.ts";
import { ProjectForm, toProjectFields, toProjectForm } from "../pages/project-fields.ts";
import type { DashboardServices } from "../services.ts";
import { getHolder } from "../session/sessions.ts";
import { findProject } from "./scope.ts";

const text = z.string().trim().max(5_000, "One of the fields is too long.").default("");
/** The form as browsers send it: an unchecked box is absent. */
const Settings = z.object({
  draft: z.string().default(""),
  labels: text,
  reviewers: text,
  branchPrefix: text,
  authorName: text,
  authorEmail: text,
  commitConvention: z.enum(["", ...commitConventions]).default(""),
});

const Deletion = z.object({ confirmation: text });

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
    const form = parseForm(Settings, request.body);
    try {
      const pullRequests = toChanges(form);
      await projects.update(getHolder(request), project.id, { pullRequests });
      return await reply.redirect(`${addresses.projectSettings(project.id)}?saved`, 303);
    } catch (error) {
      if (!isOctavoError(error, "invalid_input")) throw error;
      reply.code(400);
      return sendSettings(services, request, { reply, project, form, refusal: error.message });
    }
  });
}

/** Adds the pages that change and delete the project itself. */
export function addProjectFieldsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses } = services;

  app.post(
    "/projects/:projectId/settings/general",
    createPageOptions("projects.write"),
    async (request, reply) => {
      const { project } = await findProject(projects, request);
      const projectForm = parseForm(ProjectForm, request.body);
      try {
        if (projectForm.name === "") throw invalid("The project needs a name.");
        await projects.update(getHolder(request), project.id, toProjectFields(projectForm));
        return await reply.redirect(`${addresses.projectSettings(project.id)}?saved`, 303);
      } catch (error) {
        const isKnown = isOctavoError(error, "invalid_input") || isOctavoError(error, "conflict");
        if (!isKnown) throw error;
        reply.code(services.toErrorResponse(error).status);
        const form = toSettingsForm(project.pullRequests);
        const refusal = error.message;
        return sendSettings(services, request, { reply, project, form, projectForm, refusal });
      }
    },
  );

  app.post(
    "/projects/:projectId/delete",
    createPageOptions("projects.write"),
    async (request, reply) => {
      const { project, holder } = await findProject(projects, request);
      const { confirmation } = parseForm(Deletion, request.body);
      if (confirmation === project.domain) {
        await projects.remove(holder, project.id);
        return reply.redirect(addresses.projects, 303);
      }
      reply.code(400);
      const form = toSettingsForm(project.pullRequests);
      const refusal = `The project was not deleted. To confirm, type its domain, ${project.domain}.`;
      return sendSettings(services, request, { reply, project, form, refusal });
    },
  );
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}

/** Converts the form to changes; an empty field resets its setting. */
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

function parseNames(list: string): readonly string[] {
  const names = list.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

interface SettingsAnswer {
  readonly reply: FastifyReply;
  readonly project: Project;
  readonly form: SettingsForm;
  /** The form as it was sent; the project's own fields if absent. */
  readonly projectForm?: ProjectForm;
  readonly isSaved?: boolean;
  readonly refusal?: string;
}

function sendSettings(
  { addresses, agentJobs, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...answer }: SettingsAnswer,
): FastifyReply {
  const { project, projectForm = toProjectForm(project) } = answer;
  const canDelete = getHolder(request).projectId === null;
  const view = { ...answer, projectForm, canDelete, defaultModel: agentJobs.defaultModel };
  return sendPage(request, reply, {
    title: `Settings of ${project.name}`,
    section: "projects",
    main: renderProjectSettingsPage(addresses, view),
  });
}
