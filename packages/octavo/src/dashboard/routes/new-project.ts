import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { hostedRepository } from "../../core/index.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderNewProjectPage } from "../pages/new-project.ts";
import type { NewProjectView } from "../pages/new-project.ts";
import {
  ProjectForm,
  readCredentials,
  emptyProjectForm,
  toProjectFields,
} from "../pages/project-fields.ts";
import type { DashboardServices } from "../services.ts";
import { getHolder } from "../session/sessions.ts";

export function addNewProjectPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses, inspectRepository } = services;
  const path = "/projects/new";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    requireWholeOrganization(getHolder(request), "add projects");
    return sendForm(services, request, { reply, form: emptyProjectForm });
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const holder = getHolder(request);
    requireWholeOrganization(holder, "add projects");
    const form = parseForm(ProjectForm, request.body);
    try {
      const fields = projects.check(toProjectFields(form));
      if (fields.name === "") throw new OctavoError("invalid_input", "The project needs a name.");
      const { id } = await projects.create(holder.organizationId, fields, holder.actor);
      return await reply.redirect(addresses.project(id), 303);
    } catch (error) {
      const isKnown = isOctavoError(error, "invalid_input") || isOctavoError(error, "conflict");
      if (!isKnown) throw error;
      reply.code(services.toErrorResponse(error).status);
      return await sendForm(services, request, { reply, form, refusal: error.message });
    }
  });

  app.post(`${path}/test`, createPageOptions("projects.write"), async (request, reply) => {
    requireWholeOrganization(getHolder(request), "add projects");
    const form = parseForm(ProjectForm, request.body);
    const tested = await testConnection();
    return sendForm(services, request, { reply, form, tested });

    async function testConnection(): Promise<NewProjectView["tested"]> {
      if (form.place === hostedRepository) {
        return {
          refusal: "There is nothing to test yet: the repository is empty until you push to it.",
        };
      }
      try {
        const { repository } = projects.check({ repository: form.repository });
        const credentials = readCredentials(form);
        const ref = form.ref === "" ? undefined : form.ref;
        return { inspection: await inspectRepository({ repository, credentials, ref }) };
      } catch (error) {
        if (isOctavoError(error)) return { refusal: error.message };
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
    tested,
    refusal,
  }: Pick<NewProjectView, "form"> &
    Partial<Pick<NewProjectView, "tested" | "refusal">> & { readonly reply: FastifyReply },
): FastifyReply {
  const view = { form, tested, refusal, defaultModel: agentJobs.defaultModel };
  return sendPage(request, reply, {
    title: "Add a project",
    section: "projects",
    main: renderNewProjectPage(addresses, view),
  });
}
