import fastifySwagger from "@fastify/swagger";
import Fastify from "fastify";
import type { FastifyInstance, RouteOptions } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { testEvent } from "../jobs/index.ts";
import { webhookEvents } from "../projects/index.ts";
import type { WebhookEvent } from "../projects/index.ts";
import { agentJob } from "./schemas/agent-job.ts";
import { describeTimestamp } from "./schemas/responses.ts";
import { deployment } from "./schemas/deployment.ts";
import { staticExportJob } from "./schemas/static-export.ts";

/** The path of an OpenAPI document. */
export type DocumentPath = "/v1/openapi.json" | "/v2/openapi.json" | "/openapi.json";

/** Describes routes in OpenAPI. The returned function maps the path of a document to its JSON text. */
export async function describeApi(
  routes: readonly RouteOptions[],
  baseUrl: string,
): Promise<(path: DocumentPath) => string> {
  // A separate server describes the routes, so that the library is loaded only when a document is
  // requested.
  const server = Fastify({ exposeHeadRoutes: false });
  server.setValidatorCompiler(() => () => true);
  server.setSerializerCompiler(() => (data) => JSON.stringify(data));
  await describeRoutes(server);
  for (const { method, url, schema } of routes) {
    if (method !== "HEAD")
      server.route({ method, url, ...(schema && { schema }), handler: () => undefined });
  }
  await server.ready();
  const wholeDocument = server.swagger() as unknown as OpenApiDocument;
  const texts = new Map<DocumentPath, string>();
  return (path) => {
    const text =
      texts.get(path) ?? JSON.stringify(selectPart(wholeDocument, documentParts[path], baseUrl));
    texts.set(path, text);
    return text;
  };
}

async function describeRoutes(server: FastifyInstance): Promise<void> {
  await server.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Octavo API",
        version: "2.0.0",
      },
      tags: [
        { name: "Static export", description: "Export a whole site as one bundle." },
        { name: "Agent jobs", description: "Turn an instruction into a pull request." },
        { name: "Projects", description: "Documentation sites and their repositories." },
        { name: "Publishing", description: "What readers of a site see." },
        { name: "API keys", description: "Keys that grant access to the API." },
        { name: "Webhooks", description: "Notifications when a job ends." },
        { name: "Audit log", description: "The record of actions." },
      ],
      security: [{ apiKey: [] }],
      webhooks: webhookMessages,
      components: {
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description: "An API key: `octavo_…`, from the dashboard's API keys page.",
          },
        },
      },
    },
    convertConstToEnum: false,
    transform: describeRoute,
    transformObject: jsonSchemaTransformObject,
  });
}

/** Describes a route with its response headers, which the library's transform omits. */
const describeRoute: typeof jsonSchemaTransform = (route) => {
  const described = jsonSchemaTransform(route);
  const declaredResponses = (route.schema?.response ?? {}) as Readonly<Record<string, object>>;
  const responses = (described.schema as { response?: Record<string, object> } | undefined)
    ?.response;
  for (const [status, response] of Object.entries(responses ?? {})) {
    const { headers } = (declaredResponses[status] ?? {}) as { headers?: unknown };
    if (headers !== undefined) Object.assign(response, { headers });
  }
  return described;
};

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly tags?: readonly string[];
  readonly responses: Json;
}

/** The parts of an OpenAPI document that this file selects. */
interface OpenApiDocument {
  readonly info: Json;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Json & { readonly schemas: Json };
}

interface DocumentPart {
  readonly version: string;
  readonly title: string;
  readonly subject: string;
  /** The path prefixes that the document covers. */
  readonly prefixes: readonly string[];
}

const documentParts: Readonly<Record<DocumentPath, DocumentPart>> = {
  "/v1/openapi.json": {
    version: "1.0.0",
    title: "Octavo API: static export and deployments",
    subject: "Static exports of documentation sites, and their deployments.",
    prefixes: ["/v1/"],
  },
  "/v2/openapi.json": {
    version: "2.0.0",
    title: "Octavo API: agent jobs and administration",
    subject: "Agent jobs, projects, API keys, webhooks and the audit log.",
    prefixes: ["/v2/"],
  },
  "/openapi.json": {
    version: "2.0.0",
    title: "Octavo API",
    subject:
      "Static exports of documentation sites, agent jobs, projects, API keys, webhooks and the audit log.",
    prefixes: ["/v1/", "/v2/"],
  },
};

/** Returns the part of the document with the given path prefixes, and the tags and schemas that this part uses. */
function selectPart(
  document: OpenApiDocument,
  { version, title, subject, prefixes }: DocumentPart,
  baseUrl: string,
): OpenApiDocument & { readonly servers: readonly Json[] } {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)))
      .map(([path, operations]) => [path, addDefaultResponses(operations)]),
  );
  // Webhooks are created through version 2 of the API.
  const webhooks = prefixes.includes("/v2/") ? document.webhooks : {};
  const operations = [paths, webhooks].flatMap((section) =>
    Object.values(section).flatMap(Object.values),
  );
  const tags = new Set(
    (operations as readonly Operation[]).flatMap((operation) => operation.tags ?? []),
  );
  const description =
    `${subject} Every error has the body \`{"error": "<sentence>"}\`, and every response has the header ` +
    "`X-Request-Id`. Fields may be added to responses.";
  return {
    ...document,
    info: { ...document.info, title, version, description },
    servers: [{ url: baseUrl }],
    tags: document.tags.filter(({ name }) => tags.has(name)),
    paths,
    webhooks,
    components: { ...document.components, schemas: collectSchemas(document, [paths, webhooks]) },
  };
}

/** Adds a default response for the errors that an operation does not list, e.g. internal errors. */
function addDefaultResponses(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, Operation>> {
  const schema = { $ref: "#/components/schemas/Error" };
  const defaultResponse = {
    description: "Any other error.",
    content: { "application/json": { schema } },
  };
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, responses: { ...operation.responses, default: defaultResponse } },
    ]),
  );
}

/** Returns the schemas that a part of the document uses. Response schemas allow new fields. */
function collectSchemas({ components: { schemas } }: OpenApiDocument, part: unknown): Json {
  const usedNames = new Set<string>();
  const pendingNames = listReferences(part);
  for (let name = pendingNames.pop(); name !== undefined; name = pendingNames.pop()) {
    if (usedNames.has(name)) continue;
    usedNames.add(name);
    pendingNames.push(...listReferences(schemas[name]));
  }
  const entries = [...usedNames].toSorted().map((name) => {
    const isRequestSchema = name.endsWith(requestSuffix);
    return [name, isRequestSchema ? schemas[name] : allowNewFields(schemas[name])];
  });
  return Object.fromEntries(entries) as Json;
}

/** The suffix that the library adds to the names of request schemas. */
const requestSuffix = "Input";

function allowNewFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(allowNewFields);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([name, value]) => name !== "additionalProperties" || value !== false,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, allowNewFields(value)]));
}

function listReferences(value: unknown): string[] {
  const references = JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...references].map((match) => match[1] ?? "");
}

const messageTime = describeTimestamp("When the job, or the turn of an agent job, ended.");
const staticExportMessage = z
  .object({
    type: z.enum(["static_export.completed", "static_export.failed"]),
    timestamp: messageTime,
    data: staticExportJob,
  })
  .meta({ id: "StaticExportMessage", description: "A static export has ended." });
const agentMessage = z
  .object({
    type: z.enum(["agent.completed", "agent.failed"]),
    timestamp: messageTime,
    data: agentJob,
  })
  .meta({ id: "AgentMessage", description: "A turn of an agent job has ended." });

const deploymentMessage = z
  .object({
    type: z.enum(["deployment.ready", "deployment.published", "deployment.failed"]),
    timestamp: messageTime,
    data: deployment,
  })
  .meta({
    id: "DeploymentMessage",
    description: "A deployment became ready, was published or failed.",
  });

const createHeaderParameter = (name: string, description: string) => ({
  name,
  in: "header" as const,
  required: true,
  description,
  schema: { type: "string" as const },
});
const signatureParameters = [
  createHeaderParameter(
    "webhook-id",
    "The message's ID, which is the same on every attempt. A message whose ID you have already received is a duplicate.",
  ),
  createHeaderParameter(
    "webhook-timestamp",
    "When the attempt was sent, in seconds since 1970. Refuse messages that are minutes old.",
  ),
  createHeaderParameter(
    "webhook-signature",
    "`v1,` and the base64 of HMAC-SHA256 of `<id>.<timestamp>.<body>`.",
  ),
];

const testMessage = z
  .object({
    type: z.literal(testEvent),
    timestamp: describeTimestamp("When the test was requested."),
    data: z.object({ webhookId: z.string() }),
  })
  .meta({ id: "WebhookTestMessage", description: "A test message was requested." });

function getMessageSchema(event: WebhookEvent | typeof testEvent) {
  if (event === testEvent) return testMessage;
  if (event.startsWith("deployment.")) return deploymentMessage;
  return event.startsWith("agent.") ? agentMessage : staticExportMessage;
}

function describeMessage(event: WebhookEvent | typeof testEvent) {
  const message = getMessageSchema(event);
  const schema = { $ref: `#/components/schemas/${message.meta()?.id}` };
  const post = {
    operationId: `on${event.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
    summary: `Sent on ${event}`,
    tags: ["Webhooks"],
    // The signature identifies the sender.
    security: [],
    parameters: signatureParameters,
    requestBody: { required: true, content: { "application/json": { schema } } },
    responses: {
      "2XX": { description: "Accepted. After any other response the message is retried." },
    },
  };
  return { post };
}

/** The messages that the service sends, keyed by event, for the `webhooks` section of an OpenAPI document. */
const webhookMessages = Object.fromEntries(
  ([...webhookEvents, testEvent] as const).map((event) => [event, describeMessage(event)]),
);
