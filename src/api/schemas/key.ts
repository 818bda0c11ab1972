import { z } from "zod";
import { nextCursor, pageQuery } from "../cursor.ts";
import { timestamp } from "./responses.ts";

const fields = {
  id: z.string().meta({ example: "key_06f4k2…" }),
  name: z.string(),
  prefix: z.string().meta({ description: "The key's first characters." }),
  projectId: z.string().nullable().meta({
    description: "The project that the key is limited to; null means the whole organization.",
  }),
  createdAt: timestamp("When the key was made."),
  lastUsedAt: timestamp("When the key was last used, to the minute.").nullable(),
};

export const apiKey = z.object(fields).meta({ id: "Key", description: "An API key." });

export const createdKey = z
  .object({
    ...fields,
    secret: z.string().meta({
      description: "The key itself. It is shown in this answer only.",
      example: "octavo_…",
    }),
  })
  .meta({ id: "CreatedKey", description: "A new API key with its secret." });

export const createKey = z
  .strictObject({
    name: z.string().min(1).max(200).meta({ description: "Where the key is used.", example: "CI" }),
    projectId: z.string().min(1).max(100).optional().meta({
      description:
        "Limits the key to one project: it sees and acts on nothing else, and makes no keys or projects.",
    }),
  })
  .meta({ id: "CreateKey" });

export const keyPath = z.object({ keyId: z.string().meta({ description: "The key's ID." }) });
export const keyQuery = z.object(pageQuery("key"));
export const keyList = z
  .object({ keys: z.array(apiKey), nextCursor })
  .meta({ id: "KeyList", description: "Newest first." });
