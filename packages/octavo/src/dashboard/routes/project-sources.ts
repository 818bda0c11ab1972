import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { formatSourceSpec, parseSourceSpec, type SourceSpec } from "../../core/index.ts";
import { maxSources, type Project } from "../../projects/index.ts";
import { parseForm, tryForm, type RefusedForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";
import type { Addresses } from "../addresses.ts";
import { renderSettingsNav, sendProjectPage, findProject } from "./project-page.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderFieldRefusal, renderPageHead } from "../pages/parts.ts";

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
 * Parses the sources. A line that equals a source as shown keeps that source, even if its address would be parsed
 * differently.
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
