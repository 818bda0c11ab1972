import type { FastifyRequest } from "fastify";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { z } from "zod";
import { accessScopes, requireGrantable, toPublicActor } from "../../core/index.ts";
import {
  maxKeyNameLength,
  requireWholeOrganization,
  type ApiKey,
  type Caller,
} from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { createPageQuery, nextCursor, toCursor } from "../cursor.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight } from "../route-rights.ts";
import {
  createdBy,
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
} from "../schemas/responses.ts";

const keysPath = "/v2/keys";

export function addKeyRoutes(api: Api, { keys, projects }: ApiServices): void {
  /**
   * Finds the key in the path before the body is checked, so that a 404 takes precedence over every error in the body.
   */
  async function findKey(request: FastifyRequest): Promise<void> {
    const { keyId } = request.params as { keyId: string };
    await keys.get(request.caller, keyId);
  }

  /** Checks a project ID in a body. An unknown project is an invalid value (400), not an unknown path (404). */
  async function requireProject(caller: Caller, projectId: string): Promise<void> {
    try {
      await projects.get(caller, projectId);
    } catch (error) {
      if (!isOctavoError(error, "not_found")) throw error;
      throw new OctavoError("invalid_input", `projectId: ${error.message}`, { cause: error });
    }
  }

  api.post(
    keysPath,
    { schema: keyOperations.create, ...declareRight("keys.manage") },
    async ({ caller, body }, reply) => {
      const { name, projectId = null, scopes = accessScopes, expiresAt } = body;
      if (projectId !== null) await requireProject(caller, projectId);
      requireWholeOrganization(caller, "create API keys");
      requireGrantable(caller, scopes);
      const scope = { organizationId: caller.organizationId, projectId, actor: caller.actor };
      const memberId = chooseOwner(caller, body.owner);
      const created = await keys.create(scope, name, { scopes, expiresAt, memberId });
      return reply.code(201).send({ ...toBody(created), secret: created.secret });
    },
  );

  api.get(
    keysPath,
    { schema: keyOperations.list, ...declareRight("keys.manage") },
    async ({ caller, query: { limit, cursor } }) => {
      const { items, next } = await keys.list(caller, { limit, before: cursor });
      return { keys: items.map(toBody), nextCursor: toCursor(next) };
    },
  );

  const revokeOptions = {
    schema: keyOperations.revoke,
    ...declareRight("keys.own"),
    onRequest: findKey,
    preValidation: expectNoBody,
  };
  api.delete(`${keysPath}/:keyId`, revokeOptions, async ({ caller, params }, reply) => {
    await keys.revoke(caller, params.keyId);
    return reply.code(204).send();
  });
}

/** Returns the person who will own a new key, or undefined for a key of the organization. Throws `invalid_input`. */
function chooseOwner(
  { memberId }: Caller,
  owner: KeyOwner = memberId === null ? "organization" : "person",
): string | undefined {
  if (owner === "organization") return undefined;
  if (memberId !== null) return memberId;
  throw new OctavoError("invalid_input", "owner: the calling key does not belong to a person.");
}

function toBody({ scopes, expiresAt, createdAt, lastUsedAt, ...key }: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    projectId: key.projectId,
    memberId: key.memberId,
    scopes: [...scopes],
    expiresAt: expiresAt && expiresAt.toISOString(),
    createdBy: toPublicActor(key.createdBy),
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt && lastUsedAt.toISOString(),
  };
}

const scopesDescription =
  "The calls that the key may make: `read` all resources, `export` sites, run `agent` jobs and change hosted " +
  "repositories, or, as `admin`, manage projects, keys and webhooks.";

const futureTime = z.iso
  .datetime({ offset: true, error: "must be a time such as 2030-01-31T12:00:00Z" })
  .transform((text) => new Date(text))
  .refine((time) => time.getTime() > Date.now(), "must be a time in the future")
  // Documents the field as the text that clients send, not as the parsed date.
  .meta({ type: "string", format: "date-time", description: "When the key stops working." });

const keyFields = {
  id: z.string().meta({ example: "key_06f4k2…" }),
  name: z.string(),
  prefix: z.string().meta({ description: "The key's first characters." }),
  projectId: z.string().nullable().meta({
    description: "The project to which the key is limited; null means the whole organization.",
  }),
  memberId: z.string().nullable().meta({
    description:
      "The person to whom the key belongs. The key cannot do more than that person can, and it stops working when their membership ends. Null for a key of the organization.",
  }),
  scopes: z.array(z.enum(accessScopes)).meta({ description: scopesDescription }),
  expiresAt: describeTimestamp("When the key stops working; null means never.").nullable(),
  createdBy,
  createdAt: describeTimestamp("When the key was created."),
  lastUsedAt: describeTimestamp("When the key was last used, to the minute.").nullable(),
};

const apiKey = z.object(keyFields).meta({ id: "Key", description: "An API key." });

const createdKey = z
  .object({
    ...keyFields,
    secret: z.string().meta({
      description: "The key itself. Only this response contains it.",
      example: "octavo_…",
    }),
  })
  .meta({ id: "CreatedKey", description: "A new API key with its secret." });

const keyOwners = ["person", "organization"] as const;
type KeyOwner = (typeof keyOwners)[number];

const createKey = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .max(maxKeyNameLength)
      .meta({ description: "A name that shows where the key is used.", example: "CI" }),
    projectId: z.string().min(1).max(100).optional().meta({
      description:
        "Limits the key to one project. The key then has access to nothing else and cannot create keys or projects.",
    }),
    scopes: z
      .array(z.enum(accessScopes))
      .min(1)
      .max(accessScopes.length)
      .optional()
      .meta({
        description: `${scopesDescription} Defaults to all scopes. A key never has more scopes than the key that creates it.`,
      }),
    expiresAt: futureTime.optional(),
    owner: z.enum(keyOwners).optional().meta({
      description:
        "Defaults to the owner of the calling key: a key that a person's key creates belongs to the person, unless this is `organization`.",
    }),
  })
  .meta({ id: "CreateKey" });

const keyPath = z.object({ keyId: z.string().meta({ description: "The key's ID." }) });
const keyQuery = z.object(createPageQuery("key"));
const keyList = z
  .object({ keys: z.array(apiKey), nextCursor })
  .meta({ id: "KeyList", description: "Newest first." });

const tags = ["API keys"];

/** The requests, responses and descriptions of the routes. */
const keyOperations = {
  create: {
    operationId: "createKey",
    summary: "Create an API key",
    tags,
    body: createKey,
    response: {
      201: describeJsonResponse("The key. Its `secret` is never shown again.", createdKey),
      ...describeErrorResponses(400, 401, 403, 413, 415, 503),
    },
  },
  list: {
    operationId: "listKeys",
    summary: "List API keys",
    tags,
    querystring: keyQuery,
    response: {
      200: describeJsonResponse("Active keys, newest first, without their secrets.", keyList),
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
  revoke: {
    operationId: "revokeKey",
    summary: "Revoke an API key",
    description:
      "The key stops working within a second, and its open event streams are closed. A key without the scope `admin`, or limited to a project, can revoke only itself. The last key that can administer the organization and does not expire cannot be revoked.",
    tags,
    params: keyPath,
    response: {
      204: describeEmptyResponse("The key is revoked."),
      ...describeErrorResponses(400, 401, 403, 404, 409, 413, 415, 503),
    },
  },
};
