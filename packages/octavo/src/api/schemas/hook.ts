import { z } from "zod";
import { hookSenders } from "../../publish/index.ts";
import {
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
  locationHeader,
} from "./responses.ts";

const delivery = z.object({
  id: z.string(),
  sender: z.enum(hookSenders).meta({
    description: "The code host; `standard` for any sender that signs as Standard Webhooks has it.",
  }),
  event: z.string().meta({ description: "The sender's word for what happened." }),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  receivedAt: describeTimestamp("When it arrived."),
  deploymentId: z.string().nullable().meta({
    description: "The deployment that builds what was pushed.",
  }),
  reason: z.string().nullable().meta({ description: "Why it started nothing." }),
});

const hookFields = {
  id: z.string().meta({ description: "Unique ID of the hook.", example: "hk_06f4k2…" }),
  url: z.url().meta({ description: "The address to enter at the code host." }),
  createdAt: describeTimestamp("When it was created."),
  refusedAt: describeTimestamp(
    "When something last arrived that nothing proved to be of somebody who knows the secret.",
  ).nullable(),
  deliveries: z.array(delivery).meta({ description: "The last 20, newest first." }),
};

const hook = z
  .object(hookFields)
  .meta({ id: "ProjectHook", description: "Where a code host reports pushes." });
const createdHook = z
  .object({
    ...hookFields,
    secret: z.string().meta({
      description:
        "`whsec_` and base64, in this answer only. Code hosts take the whole text as their secret.",
    }),
    problem: z.string().nullable().meta({
      description:
        "Why the hook could not be entered at the code host, so that somebody has to do it; null if the code host has it.",
    }),
  })
  .meta({ id: "CreatedProjectHook" });

export type HookBody = z.infer<typeof hook>;

const params = z.object({ projectId: z.string().meta({ description: "The project's ID." }) });
const tags = ["Publishing"];

/** The requests, responses and descriptions of the routes. */
export const hookOperations = {
  get: {
    operationId: "getProjectHook",
    summary: "Get the hook of a project",
    tags,
    params,
    response: {
      200: describeJsonResponse("The hook, with its last deliveries.", hook),
      ...describeErrorResponses(401, 403, 404, 503),
    },
  },
  renew: {
    operationId: "renewProjectHook",
    summary: "Create the hook of a project, or give it a new secret",
    description:
      "The address stays the same; deliveries with the former secret are refused. The hook is entered at the code host if " +
      "the project's token may do that.",
    tags,
    params,
    response: {
      201: describeJsonResponse("The hook with its secret.", createdHook, locationHeader),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
  remove: {
    operationId: "deleteProjectHook",
    summary: "Delete the hook of a project",
    tags,
    params,
    response: {
      204: describeEmptyResponse("The hook is deleted."),
      ...describeErrorResponses(400, 401, 403, 404, 413, 415, 503),
    },
  },
};
