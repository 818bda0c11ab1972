import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { commitConventions } from "../../core/index.ts";
import type { Project, PullRequestChanges } from "../../projects/index.ts";
import { readForm } from "../form.ts";
import { pageFor } from "../page-rights.ts";
import { projectSettingsPage, toSettingsForm } from "../pages/project-settings.ts";
import type { SettingsForm } from "../pages/project-settings.ts";
import type { DashboardServices } from "../services.ts";
import { holderOf } from "../session/sessions.ts";
import { findProject } from "./scope.ts";

const text = z.string().trim().max(5_000, "One of the fields is too long.").default("");
/** As browsers send it: a box that is not ticked is absent. */
const Settings = z.object({
  draft: z.string().default(""),
  labels: text,
  reviewers: text,
  branchPrefix: text,
  authorName: text,
  authorEmail: text,
  commitConvention: z.enum(["", ...commitConventions]).default(""),
});

export function addProjectSettingsPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses } = services;
  const path = "/projects/:projectId/settings";

  app.get(path, pageFor("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const isSaved = new URLSearchParams(request.url.split("?")[1]).has("saved");
    const form = toSettingsForm(project.pullRequests);
    return sendSettings(services, request, { reply, project, form, isSaved });
  });

  app.post(path, pageFor("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const form = readForm(Settings, request.body);
    try {
      const pullRequests = toChanges(form);
      await projects.update(holderOf(request), project.id, { pullRequests });
      return await reply.redirect(`${addresses.projectSettings(project.id)}?saved`, 303);
    } catch (error) {
      if (!isOctavoError(error, "invalid_input")) throw error;
      reply.code(400);
      return sendSettings(services, request, { reply, project, form, refusal: error.message });
    }
  });
}

/** An empty field takes its setting back. */
function toChanges(form: SettingsForm): PullRequestChanges {
  const { draft, labels, reviewers, branchPrefix, commitConvention } = form;
  const author = { name: form.authorName, email: form.authorEmail };
  return {
    draft: draft !== "",
    labels: namesOf(labels),
    reviewers: namesOf(reviewers),
    branchPrefix: branchPrefix === "" ? null : branchPrefix,
    author: author.name === "" && author.email === "" ? null : author,
    commitConvention: commitConvention === "" ? null : commitConvention,
  };
}

function namesOf(list: string): readonly string[] {
  const names = list.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

interface SettingsAnswer {
  readonly reply: FastifyReply;
  readonly project: Project;
  readonly form: SettingsForm;
  readonly isSaved?: boolean;
  readonly refusal?: string;
}

function sendSettings(
  { addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...view }: SettingsAnswer,
): FastifyReply {
  return sendPage(request, reply, {
    title: `Settings of ${view.project.name}`,
    section: "projects",
    main: projectSettingsPage(addresses, view),
  });
}
