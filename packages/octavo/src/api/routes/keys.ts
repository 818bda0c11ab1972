import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { accessScopes, requireGrantable, toPublicActor } from "../../core/index.ts";
import type { ApiKey, Caller } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { requireWholeOrganization } from "../../projects/index.ts";
import { toCursor } from "../cursor.ts";
import { expectNoBody } from "../json-body.ts";
import { declareRight } from "../route-rights.ts";
import { keyOperations as operations } from "../schemas/key.ts";

const path = "/v2/keys";

export function addKeyRoutes(api: Api, { keys, projects }: ApiServices): void {
  /** A 404 takes precedence over every error in the body. */
  async function findKey(request: FastifyRequest): Promise<void> {
    const { keyId } = request.params as { keyId: string };
    await keys.get(request.caller, keyId);
  }

  /** Checks a project ID in a body: an unknown one is an invalid value, not an unknown path. */
  async function requireProject(caller: Caller, projectId: string): Promise<void> {
    try {
      await projects.get(caller, projectId);
    } catch (error) {
      if (!isOctavoError(error, "not_found")) throw error;
      throw new OctavoError("invalid_input", `projectId: ${error.message}`, { cause: error });
    }
  }

  api.post(
    path,
    { schema: operations.create, ...declareRight("keys.manage") },
    async ({ caller, body }, reply) => {
      const { name, projectId = null, scopes = accessScopes, expiresAt } = body;
      if (projectId !== null) await requireProject(caller, projectId);
      requireWholeOrganization(caller, "create API keys");
      requireGrantable(caller, scopes);
      const scope = { organizationId: caller.organizationId, projectId, actor: caller.actor };
      const made = await keys.create(scope, name, { scopes, expiresAt });
      return reply.code(201).send({ ...toBody(made), secret: made.secret });
    },
  );

  api.get(
    path,
    { schema: operations.list, ...declareRight("keys.manage") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await keys.list(caller, { limit, before: cursor });
      return { keys: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  const revoke = {
    schema: operations.revoke,
    ...declareRight("keys.own"),
    onRequest: findKey,
    preValidation: expectNoBody,
  };
  api.delete(`${path}/:keyId`, revoke, async ({ caller, params }, reply) => {
    await keys.revoke(caller, params.keyId);
    return reply.code(204).send();
  });
}

function toBody({ scopes, expiresAt, createdAt, lastUsedAt, ...key }: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    projectId: key.projectId,
    scopes: [...scopes],
    expiresAt: expiresAt && expiresAt.toISOString(),
    createdBy: toPublicActor(key.createdBy),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt && lastUsedAt.toISOString(),
  };
}
