import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { maxReviewNoteLength, type ReviewNote } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
} from "../schemas/responses.ts";

const noteText = z.string().min(1).max(maxReviewNoteLength).meta({
  description: "The text of the note, which agents receive in their next turns.",
});
const reviewNote = z
  .object({
    id: z.string().meta({ example: "rn_06f4k2…" }),
    text: noteText,
    pullRequestUrl: z.string().meta({ description: "The pull request that reviewers rejected." }),
    createdAt: z.iso.datetime(),
    editedAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: "When a person last changed the text; null if nobody did." }),
  })
  .meta({ id: "ReviewNote", description: "A change that reviewers rejected, and why." });

const tags = ["Projects"];
const projectPath = z.object({ projectId: z.string() });
const notePath = z.object({ projectId: z.string(), noteId: z.string() });

const operations = {
  list: {
    operationId: "listReviewNotes",
    summary: "List the review notes",
    description:
      "When a pull request of an agent is closed without a merge, or a review on GitHub requests changes in it, its review comments become a note. Agents receive the newest notes in their next turns. A project has at most 50.",
    tags,
    params: projectPath,
    response: {
      200: describeJsonResponse(
        "All notes, newest first.",
        z.object({ reviewNotes: z.array(reviewNote) }).meta({ id: "ReviewNoteList" }),
      ),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  update: {
    operationId: "updateReviewNote",
    summary: "Change the text of a review note",
    tags,
    params: notePath,
    body: z.strictObject({ text: noteText }).meta({ id: "UpdateReviewNote" }),
    response: {
      200: describeJsonResponse("The updated note.", reviewNote),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
  remove: {
    operationId: "deleteReviewNote",
    summary: "Delete a review note",
    tags,
    params: notePath,
    response: {
      204: describeEmptyResponse("The note is deleted."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
  clear: {
    operationId: "clearReviewNotes",
    summary: "Delete all review notes",
    tags,
    params: projectPath,
    response: {
      204: describeEmptyResponse("The project has no notes."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};

const notesPath = "/v2/projects/:projectId/review-notes";

export function addReviewNoteRoutes(api: Api, { projects }: ApiServices): void {
  const { reviewNotes } = projects;

  /** Finds the project and the note in the path before the body is checked. */
  async function findNote(request: FastifyRequest): Promise<void> {
    const { projectId, noteId } = request.params as { projectId: string; noteId?: string };
    await projects.get(request.caller, projectId);
    if (noteId !== undefined) await reviewNotes.get(projectId, noteId);
  }

  const changeOptions = { ...declareRight("projects.write"), onRequest: findNote };

  api.get(
    notesPath,
    { schema: operations.list, ...declareRight("projects.read"), onRequest: findNote },
    async ({ params }) => ({ reviewNotes: (await reviewNotes.list(params.projectId)).map(toBody) }),
  );

  api.patch(
    `${notesPath}/:noteId`,
    { schema: operations.update, ...changeOptions },
    async ({ caller, params: { projectId, noteId }, body }) =>
      toBody(await reviewNotes.update(caller, projectId, { id: noteId, ...body })),
  );

  api.delete(
    `${notesPath}/:noteId`,
    { schema: operations.remove, ...changeOptions, preValidation: expectNoBody },
    async ({ caller, params: { projectId, noteId } }, reply) => {
      await reviewNotes.remove(caller, projectId, noteId);
      return reply.code(204).send();
    },
  );

  api.delete(
    notesPath,
    { schema: operations.clear, ...changeOptions, preValidation: expectNoBody },
    async ({ caller, params: { projectId } }, reply) => {
      await reviewNotes.clear(caller, projectId);
      return reply.code(204).send();
    },
  );
}

function toBody({ createdAt, editedAt, ...note }: ReviewNote) {
  return {
    ...note,
    createdAt: createdAt.toISOString(),
    editedAt: editedAt && editedAt.toISOString(),
  };
}
