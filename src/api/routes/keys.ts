import { OctavoError, isOctavoError } from "../../core/index.ts";
import type { ApiKey, Caller } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { requireWholeOrganization } from "../authentication.ts";
import { nextCursorOf } from "../cursor.ts";
import { apiKey, createKey, createdKey, keyList, keyPath, keyQuery } from "../schemas/key.ts";
import { errorAnswers, jsonAnswer, noAnswer } from "../schemas/responses.ts";

const path = "/v2/keys";
const tags = ["API keys"];

export function addKeyRoutes(api: Api, { keys, projects }: ApiServices): void {
  /** A project that a body names: one that is not there is a wrong value, not a wrong path. */
  async function requireProject(caller: Caller, projectId: string): Promise<void> {
    try {
      await projects.get(caller, projectId);
    } catch (error) {
      if (!isOctavoError(error, "not_found")) throw error;
      throw new OctavoError("invalid_input", `projectId: ${error.message}`, { cause: error });
    }
  }

  api.route({
    method: "POST",
    url: path,
    schema: {
      operationId: "createKey",
      summary: "Make an API key",
      tags,
      body: createKey,
      response: {
        201: jsonAnswer("The key. Its `secret` is never shown again.", createdKey),
        ...errorAnswers(400, 401, 403, 413, 415, 503),
      },
    },
    async handler({ caller, body: { name, projectId = null } }, reply) {
      if (projectId !== null) await requireProject(caller, projectId);
      requireWholeOrganization(caller, "make API keys");
      const { organizationId } = caller;
      const made = await keys.create({ organizationId, projectId }, name);
      return reply.code(201).send({ ...toBody(made), secret: made.secret });
    },
  });

  api.route({
    method: "GET",
    url: path,
    schema: {
      operationId: "listKeys",
      summary: "List API keys",
      tags,
      querystring: keyQuery,
      response: {
        200: jsonAnswer("Keys that work, newest first, without their secrets.", keyList),
        ...errorAnswers(400, 401, 503),
      },
    },
    async handler({ caller, query: { limit, cursor } }) {
      const page = await keys.list(caller, { limit, before: cursor });
      return { keys: page.items.map(toBody), nextCursor: nextCursorOf(page) };
    },
  });

  api.route({
    method: "DELETE",
    url: `${path}/:keyId`,
    schema: {
      operationId: "revokeKey",
      summary: "Revoke an API key",
      description: "It stops within a second, and event streams that were opened with it close.",
      tags,
      params: keyPath,
      response: { 204: noAnswer("The key is revoked."), ...errorAnswers(401, 404, 503) },
    },
    async handler({ caller, params }, reply) {
      await keys.revoke(caller, params.keyId);
      return reply.code(204).send();
    },
  });
}

function toBody({ id, name, prefix, projectId, createdAt, lastUsedAt }: ApiKey) {
  return {
    id,
    name,
    prefix,
    projectId,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt && lastUsedAt.toISOString(),
  };
}
