import { randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { createMemory, toNetwork } from "../../core/index.ts";
import {
  createMissingHookError,
  hasProof,
  readDelivery,
  hookSenders,
} from "../../publish/index.ts";
import type { KnownHook, ProjectHook } from "../../publish/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { parseBasePath } from "../base-path.ts";
import { expectNoBody } from "../request-body.ts";
import { declareRight, publicRoute } from "../route-rights.ts";
import {
  describeEmptyResponse,
  describeErrorResponses,
  describeJsonResponse,
  describeTimestamp,
  locationHeader,
} from "../schemas/responses.ts";

const delivery = z.object({
  id: z.string(),
  sender: z.enum(hookSenders).meta({
    description:
      "The code host; `standard` for any sender that signs as Standard Webhooks specifies.",
  }),
  event: z.string().meta({ description: "The sender's name for the event." }),
  branch: z.string().nullable(),
  commit: z.string().nullable(),
  receivedAt: describeTimestamp("When it arrived."),
  deploymentId: z.string().nullable().meta({
    description: "The deployment that builds what was pushed.",
  }),
  reason: z.string().nullable().meta({ description: "Why no deployment was started." }),
});

const hookFields = {
  id: z.string().meta({ description: "Unique ID of the hook.", example: "hk_06f4k2…" }),
  url: z.url().meta({ description: "The address to enter at the code host." }),
  createdAt: describeTimestamp("When it was created."),
  refusedAt: describeTimestamp(
    "When a delivery without a valid signature or token was last refused.",
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
        "`whsec_` and base64, only in this response. Enter the whole text at the code host as the secret.",
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
const operations = {
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

/** The maximum size of a delivery, which is enough for a push of thousands of commits. */
const maxBodyBytes = 5 * 1024 * 1024;
/** The maximum size of all deliveries that this node reads at the same time. */
const maxBytesAtOnce = 64 * 1024 * 1024;
/** The time after which a rejected delivery can be sent again. */
const retrySeconds = 10;

/** The maximum number of unverified deliveries from one address, for each hook and minute. */
const maxRefusals = 60;
const refusalsMs = 60_000;

declare module "fastify" {
  interface FastifyRequest {
    /** The hook in the path, on the route of deliveries; undefined if there is no such hook. */
    hook: KnownHook | undefined;
  }
}

/**
 * Adds the route to which code hosts report pushes. It requires no API key, so deliveries are read within bounds and
 * verified before anything else is done. An address that sends junk is refused before its bodies are read; others that
 * report to the same hook are not.
 */
export function addHookRoutes(api: Api, { hooks, deployments }: ApiServices): void {
  /** The secret for hooks that do not exist, so that the response takes the same time. */
  const noSecret = `whsec_${randomBytes(32).toString("base64")}`;
  const refusals = createMemory<number>(refusalsMs);
  let bytesAtOnce = 0;

  /** Refuses a delivery, in the same way whether it was read or not. */
  async function refuse({ hook, ip }: FastifyRequest): Promise<never> {
    const source = nameSource(ip, hook);
    refusals.set(source, (refusals.get(source) ?? 0) + 1);
    if (!hook) throw new OctavoError("not_found", "This hook does not exist.");
    await hooks.noteRefusal(hook);
    throw new OctavoError(
      "unauthorized",
      "This delivery has no valid signature or token. Check the hook's secret at the sender.",
      { details: { authenticate: "Signature" } },
    );
  }

  api.decorateRequest("hook", undefined);
  void api.register(async (open: Api) => {
    open.removeAllContentTypeParsers();
    open.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: maxBodyBytes },
      async (_request: unknown, body: Buffer) => body,
    );
    open.addHook("onRequest", async (request, reply) => {
      const { hookId } = request.params as { readonly hookId: string };
      request.hook = await hooks.lookUp(hookId);
      if ((refusals.get(nameSource(request.ip, request.hook)) ?? 0) >= maxRefusals) {
        throw new OctavoError(
          "rate_limited",
          "Too many deliveries from this address have no valid signature or token.",
          {
            details: { retryAfterSeconds: refusalsMs / 1_000 },
          },
        );
      }
      const declared = Number(request.headers["content-length"] ?? maxBodyBytes);
      if (declared > maxBodyBytes) {
        throw new OctavoError("too_large", `The body is larger than ${maxBodyBytes} bytes.`);
      }
      if (!hasProof(request.headers)) await refuse(request);
      if (bytesAtOnce + declared > maxBytesAtOnce) {
        throw new OctavoError(
          "unavailable",
          "Too many deliveries are arriving at once. Try again later.",
          {
            details: { retryAfterSeconds: retrySeconds },
          },
        );
      }
      bytesAtOnce += declared;
      reply.raw.once("close", () => (bytesAtOnce -= declared));
    });
    const options = { ...publicRoute, schema: { hide: true }, bodyLimit: maxBodyBytes };
    open.post("/hooks/:hookId", options, async (request, reply) => {
      const { hook } = request;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const delivery = { headers: request.headers, body };
      const verified = readDelivery(delivery, hook?.secret ?? noSecret, new Date());
      if (!hook || !verified) return await refuse(request);
      const { sender, id: name, event, read } = verified;
      const result = await deployments.receivePush({ hook, sender, name, event, read });
      return reply.code(result.outcome === "started" ? 202 : 200).send(result);
    });
  });
}

/**
 * Returns the key under which refusals are counted: those of an address for one hook, or for hooks that do not exist.
 */
function nameSource(ip: string, hook: KnownHook | undefined): string {
  return `${toNetwork(ip)} ${hook?.id ?? ""}`;
}

/** Adds the routes with which a project's hook is managed. */
export function addProjectHookRoutes(
  api: Api,
  { hooks, projects, baseUrl }: Pick<ApiServices, "hooks" | "projects" | "baseUrl">,
): void {
  const path = "/v2/projects/:projectId/hook";
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    request.project = await projects.get(request.caller, projectId);
  }
  async function read(projectId: string): Promise<HookBody> {
    const hook = await hooks.find(projectId);
    if (hook) return toBody(hook, baseUrl());
    throw createMissingHookError();
  }

  const get = {
    schema: operations.get,
    ...declareRight("deployments.read"),
    onRequest: findProject,
  };
  api.get(path, get, ({ project }) => read(project.id));

  const write = {
    ...declareRight("projects.write"),
    onRequest: findProject,
    preValidation: expectNoBody,
  };
  const renew = { schema: operations.renew, ...write };
  api.post(path, renew, async ({ caller, project }, reply) => {
    const renewed = await hooks.renew(caller, project);
    const location = `${parseBasePath(baseUrl())}/v2/projects/${project.id}/hook`;
    const body = { ...(await read(project.id)), ...renewed };
    return reply.code(201).header("location", location).send(body);
  });

  const remove = { schema: operations.remove, ...write };
  api.delete(path, remove, async ({ caller, project }, reply) => {
    await hooks.remove(caller, project);
    return reply.code(204).send();
  });
}

function toBody({ id, createdAt, refusedAt, deliveries }: ProjectHook, baseUrl: string): HookBody {
  return {
    id,
    url: `${baseUrl}/hooks/${id}`,
    createdAt: createdAt.toISOString(),
    refusedAt: refusedAt?.toISOString() ?? null,
    deliveries: deliveries.map((delivery) => ({
      ...delivery,
      receivedAt: delivery.receivedAt.toISOString(),
    })),
  };
}
