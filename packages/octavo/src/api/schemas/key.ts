import { z } from "zod";
import { nextCursor, pageQuery } from "../cursor.ts";
import { errorResponses, jsonResponse, emptyResponse, timestamp } from "./responses.ts";

const fields = {
  id: z.string().meta({ example: "key_06f4k2…" }),
  name: z.string(),
  prefix: z.string().meta({ description: "The key's first characters." }),
  projectId: z.string().nullable().meta({
    description: "The project that the key is limited to; null means the whole organization.",
  }),
  createdAt: timestamp("When the key was created."),
  lastUsedAt: timestamp("When the key was last used, to the minute.").nullable(),
};

const apiKey = z.object(fields).meta({ id: "Key", description: "An API key." });

const createdKey = z
  .object({
    ...fields,
    secret: z.string().meta({
      description: "The key itself. Only this response contains it.",
      example: "octavo_…",
    }),
  })
  .meta({ id: "CreatedKey", description: "A new API key with its secret." });

const createKey = z
  .strictObject({
    name: z.string().min(1).max(200).meta({ description: "Where the key is used.", example: "CI" }),
    projectId: z.string().min(1).max(100).optional().meta({
      description:
        "Limits the key to one project: it has access to nothing else, and cannot create keys or projects.",
    }),
  })
  .meta({ id: "CreateKey" });

const keyPath = z.object({ keyId: z.string().meta({ description: "The key's ID." }) });
const keyQuery = z.object(pageQuery("key"));
const keyList = z
  .object({ keys: z.array(apiKey), nextCursor })
  .meta({ id: "KeyList", description: "Newest first." });

const tags = ["API keys"];

/** The requests, responses and descriptions of the routes. */
export const keyOperations = {
  create: {
    operationId: "createKey",
    summary: "Create an API key",
    tags,
    body: createKey,
    response: {
      201: jsonResponse("The key. Its `secret` is never shown again.", createdKey),
      ...errorResponses(400, 401, 403, 413, 415, 503),
    },
  },
  list: {
    operationId: "listKeys",
    summary: "List API keys",
    tags,
    querystring: keyQuery,
    response: {
      200: jsonResponse("Active keys, newest first, without their secrets.", keyList),
      ...errorResponses(400, 401, 503),
    },
  },
  revoke: {
    operationId: "revokeKey",
    summary: "Revoke an API key",
    description:
      "The key stops working within a second, and its open event streams are closed. A key that is limited to a project can revoke only itself.",
    tags,
    params: keyPath,
    response: {
      204: emptyResponse("The key is revoked."),
      ...errorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};
