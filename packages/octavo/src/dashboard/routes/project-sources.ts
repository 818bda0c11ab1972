import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { formatSourceSpec, parseSourceSpec } from "../../core/index.ts";
import type { SourceSpec } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderProjectSourcesPage } from "../pages/project-sources.ts";
import type { ProjectSourcesView } from "../pages/project-sources.ts";
import type { DashboardServices } from "../services.ts";
import { getHolder } from "../session/sessions.ts";
import { findProject } from "./scope.ts";

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
    const { sources: text } = parseForm(Sources, request.body);
    try {
      const sources = readSources(text, project);
      await projects.update(getHolder(request), project.id, { sources });
      return await reply.redirect(`${addresses.projectSources(project.id)}?saved`, 303);
    } catch (error) {
      if (!isOctavoError(error, "invalid_input")) throw error;
      reply.code(400);
      const refused = { text, sentence: error.message };
      return sendSources(services, request, { reply, project, refused });
    }
  });
}

/**
 * Parses the sources. A line that equals a shown source keeps that source, even if its address would parse differently.
 */
function readSources(text: string, { sources }: Project): readonly SourceSpec[] {
  const known = new Map(sources.map((source) => [formatSourceSpec(source), source]));
  const lines = text.split("\n").map((line) => line.trim());
  return lines
    .filter((line) => line !== "")
    .map((line) => known.get(line) ?? parseSourceSpec(line));
}

interface SourcesAnswer extends ProjectSourcesView {
  readonly reply: FastifyReply;
}

function sendSources(
  { addresses, sendPage }: DashboardServices,
  request: FastifyRequest,
  { reply, ...view }: SourcesAnswer,
): FastifyReply {
  return sendPage(request, reply, {
    title: `Sources of ${view.project.name}`,
    section: "projects",
    main: renderProjectSourcesPage(addresses, view),
  });
}
