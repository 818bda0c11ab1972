import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { maxReviewNoteLength, type Project, type ReviewNote } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { parseForm } from "../form.ts";
import { renderRelativeTime } from "../format.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderEmptyNote, renderPageHead } from "../pages/parts.ts";
import { renderSettingsNav, sendProjectPage, findProject } from "./project-page.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

const NoteForm = z.object({
  action: z.enum(["save", "delete", "clear"]),
  note: z.string().max(100).default(""),
  text: z
    .string()
    .transform((text) => text.replaceAll("\r\n", "\n"))
    .default(""),
});

/** Adds the page with the review notes that agents receive. */
export function addReviewNotesPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, addresses } = services;
  const { reviewNotes } = projects;
  const path = "/projects/:projectId/review-notes";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    return await sendNotes(services, request, { reply, project });
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const { action, note: id, text } = parseForm(NoteForm, request.body);
    const user = getSignedInUser(request);
    try {
      if (action === "save") await reviewNotes.update(user, project.id, { id, text });
      if (action === "delete") await reviewNotes.remove(user, project.id, id);
      if (action === "clear") await reviewNotes.clear(user, project.id);
      return await reply.redirect(addresses.reviewNotes(project.id), 303);
    } catch (error) {
      if (!isOctavoError(error, "invalid_input")) throw error;
      reply.code(400);
      const refused = { id, text, sentence: error.message };
      return await sendNotes(services, request, { reply, project, refused });
    }
  });
}

interface NotesView {
  readonly project: Project;
  /** The text that was not accepted. */
  readonly refused?: { readonly id: string; readonly text: string; readonly sentence: string };
}

async function sendNotes(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, ...view }: NotesView & { readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { addresses, projects } = services;
  const notes = await projects.reviewNotes.list(view.project.id);
  return sendProjectPage(services, request, reply, {
    project: view.project,
    tab: "settings",
    title: "Notes for agents",
    main: renderNotes(addresses, notes, view),
  });
}

function renderNotes(
  addresses: Addresses,
  notes: readonly ReviewNote[],
  view: NotesView,
): SafeHtml {
  const { project, refused } = view;
  const action = addresses.reviewNotes(project.id);
  return safeHtml`${renderSettingsNav(addresses, project, "notes")} ${renderPageHead([], "Notes for agents")}
    <p>
      When an agent's pull request is closed without a merge, or a review requests changes in it, it becomes a note. Agents receive the newest notes in their next turns, so that they do not propose the same change again.
      Edit a note to say what was wrong, or delete it.
    </p>
    ${refused && safeHtml`<p class="notice danger" role="alert">${refused.sentence}</p>`}
    ${notes.length === 0 && renderEmptyNote("No notes yet.")}
    ${notes.map((note) => renderNote(action, note, refused?.id === note.id ? refused.text : note.text))}
    ${
      notes.length > 0 &&
      safeHtml`<form method="post" action="${action}">
        <button class="danger" type="submit" name="action" value="clear">Delete all notes</button>
      </form>`
    }`;
}

function renderNote(action: string, note: ReviewNote, text: string): SafeHtml {
  const { id, pullRequestUrl, createdAt, editedAt } = note;
  return safeHtml`<form class="card settings" method="post" action="${action}">
    <input type="hidden" name="note" value="${id}" />
    <div>
      <label for="${id}">Text for agents</label>
      <textarea id="${id}" name="text" rows="5" maxlength="${maxReviewNoteLength}" required>${text}</textarea>
      <p class="faint">
        From <a href="${pullRequestUrl}" rel="noreferrer">${pullRequestUrl}</a>, ${renderRelativeTime(createdAt)}${editedAt && ", edited"}
      </p>
    </div>
    <p>
      <button class="primary" type="submit" name="action" value="save">Save</button>
      <button type="submit" name="action" value="delete" formnovalidate>Delete</button>
    </p>
  </form>`;
}
