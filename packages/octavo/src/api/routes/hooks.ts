import { randomBytes } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { createMemory, toNetwork } from "../../core/index.ts";
import {
  createMissingHookError,
  hasProof,
  parseDelivery,
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
  receivedAt: describeTimestamp("When the delivery arrived."),
  deploymentId: z.string().nullable().meta({
    description: "The deployment that builds what was pushed.",
  }),
  reason: z.string().nullable().meta({ description: "Why no deployment was started." }),
});

const hookFields = {
  id: z.string().meta({ description: "Unique ID of the hook.", example: "hk_06f4k2…" }),
  url: z.url().meta({ description: "The address to enter at the code host." }),
  createdAt: describeTimestamp("When the hook was created."),
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
        "Why the hook could not be set up at the code host and must be entered there by hand; null if it was set up.",
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
      "The address stays the same; deliveries with the former secret are refused. The hook is set up at the code host if " +
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
/** The maximum total size of the deliveries that this node reads at the same time. */
const maxConcurrentBytes = 64 * 1024 * 1024;
/** The time after which a rejected delivery can be sent again. */
const retrySeconds = 10;

/** The maximum number of unverified deliveries from one address, for each hook and minute. */
const maxRefusals = 60;
const refusalWindowMs = 60_000;

declare module "fastify" {
  interface FastifyRequest {
    /** The hook in the path, on the route of deliveries; undefined if the hook does not exist. */
    hook: KnownHook | undefined;
  }
}

/**
 * Adds the route to which code hosts report pushes. It requires no API key, so deliveries are read within bounds and
 * verified before anything else is done. An address that sent too many invalid deliveries is refused before its bodies
 * are read; other addresses that report to the same hook are not affected.
 */
export function addHookRoutes(api: Api, { hooks, deployments }: ApiServices): void {
  /** Verifies deliveries to hooks that do not exist, so that refusing them takes as long as for an existing hook. */
  const decoySecret = `whsec_${randomBytes(32).toString("base64")}`;
  const refusals = createMemory<number>(refusalWindowMs);
  let concurrentBytes = 0;

  /** Refuses a delivery. The response does not depend on whether the body was read. */
  async function refuse({ hook, ip }: FastifyRequest): Promise<never> {
    const source = nameRefusalSource(ip, hook);
    refusals.set(source, (refusals.get(source) ?? 0) + 1);
    if (!hook) throw new OctavoError("not_found", "This hook does not exist.");
    await hooks.recordRefusal(hook);
    throw new OctavoError(
      "unauthorized",
      "This delivery has no valid signature or token. Check the hook's secret at the sender.",
      { details: { authenticate: "Signature" } },
    );
  }

  api.decorateRequest("hook", undefined);
  void api.register(async (hookApi: Api) => {
    hookApi.removeAllContentTypeParsers();
    hookApi.addContentTypeParser(
      "*",
      { parseAs: "buffer", bodyLimit: maxBodyBytes },
      async (_request: unknown, body: Buffer) => body,
    );
    hookApi.addHook("onRequest", async (request, reply) => {
      const { hookId } = request.params as { readonly hookId: string };
      request.hook = await hooks.lookUp(hookId);
      if ((refusals.get(nameRefusalSource(request.ip, request.hook)) ?? 0) >= maxRefusals) {
        throw new OctavoError(
          "rate_limited",
          "Too many deliveries from this address have no valid signature or token.",
          {
            details: { retryAfterSeconds: refusalWindowMs / 1_000 },
          },
        );
      }
      const declaredBytes = Number(request.headers["content-length"] ?? maxBodyBytes);
      if (declaredBytes > maxBodyBytes) {
        throw new OctavoError("too_large", `The body is larger than ${maxBodyBytes} bytes.`);
      }
      if (!hasProof(request.headers)) await refuse(request);
      if (concurrentBytes + declaredBytes > maxConcurrentBytes) {
        throw new OctavoError(
          "unavailable",
          "Too many deliveries are arriving at once. Try again later.",
          {
            details: { retryAfterSeconds: retrySeconds },
          },
        );
      }
      concurrentBytes += declaredBytes;
      reply.raw.once("close", () => (concurrentBytes -= declaredBytes));
    });
    const options = { ...publicRoute, schema: { hide: true }, bodyLimit: maxBodyBytes };
    hookApi.post("/hooks/:hookId", options, async (request, reply) => {
      const { hook } = request;
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const delivery = { headers: request.headers, body };
      const verified = parseDelivery(delivery, hook?.secret ?? decoySecret, new Date());
      if (!hook || !verified) return await refuse(request);
      const { sender, id: name, event, content } = verified;
      const result = await deployments.receivePush({ hook, sender, name, event, content });
      return reply.code(result.outcome === "started" ? 202 : 200).send(result);
    });
  });
}

/** Returns the key under which an address's refused deliveries are counted, separately for each existing hook. */
function nameRefusalSource(ip: string, hook: KnownHook | undefined): string {
  return `${toNetwork(ip)} ${hook?.id ?? ""}`;
}

/** Adds the routes that manage a project's hook. */
export function addProjectHookRoutes(
  api: Api,
  { hooks, projects, baseUrl }: Pick<ApiServices, "hooks" | "projects" | "baseUrl">,
): void {
  const path = "/v2/projects/:projectId/hook";
  async function findProject(request: FastifyRequest): Promise<void> {
    const { projectId } = request.params as { projectId: string };
    request.project = await projects.get(request.caller, projectId);
  }
  async function readHook(projectId: string): Promise<HookBody> {
    const hook = await hooks.find(projectId);
    if (hook) return toBody(hook, baseUrl());
    throw createMissingHookError();
  }

  const getOptions = {
    schema: operations.get,
    ...declareRight("deployments.read"),
    onRequest: findProject,
  };
  api.get(path, getOptions, ({ project }) => readHook(project.id));

  const writeOptions = {
    ...declareRight("projects.write"),
    onRequest: findProject,
    preValidation: expectNoBody,
  };
  const renewOptions = { schema: operations.renew, ...writeOptions };
  api.post(path, renewOptions, async ({ caller, project }, reply) => {
    const renewedHook = await hooks.renew(caller, project);
    const location = `${parseBasePath(baseUrl())}/v2/projects/${project.id}/hook`;
    const body = { ...(await readHook(project.id)), ...renewedHook };
    return reply.code(201).header("location", location).send(body);
  });

  const removeOptions = { schema: operations.remove, ...writeOptions };
  api.delete(path, removeOptions, async ({ caller, project }, reply) => {
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
