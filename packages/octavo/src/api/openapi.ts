import fastifySwagger from "@fastify/swagger";
import fastifySwaggerUi from "@fastify/swagger-ui";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { Api } from "./api.ts";
import { webhookMessages } from "./schemas/webhook.ts";
import { docsPolicy } from "./security-headers.ts";

interface OpenApiDocument {
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, unknown>>;
  readonly webhooks: Readonly<Record<string, unknown>>;
  readonly components: Readonly<Record<string, unknown>> & {
    readonly schemas: Readonly<Record<string, unknown>>;
  };
}

/** Collects the schemas of the routes that are added after this call. */
export async function describeRoutes(api: Api): Promise<void> {
  await api.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Octavo API",
        version: "2.0.0",
        description:
          "Static exports of documentation sites, agent jobs, projects, API keys and webhooks. Every error has the body " +
          '`{"error": "<sentence>"}`, and every response has the header `X-Request-Id`.',
      },
      tags: [
        { name: "Static export", description: "Export a whole site as one bundle." },
        { name: "Agent jobs", description: "Turn an instruction into a pull request." },
        { name: "Projects", description: "The sites of the service." },
        { name: "API keys", description: "Access to the API." },
        { name: "Webhooks", description: "Notifications when a job ends." },
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

/** The library's transform omits response headers. */
const describeRoute: typeof jsonSchemaTransform = (route) => {
  const described = jsonSchemaTransform(route);
  const given = (route.schema?.response ?? {}) as Readonly<Record<string, object>>;
  const responses = (described.schema as { response?: Record<string, object> } | undefined)
    ?.response;
  for (const [status, response] of Object.entries(responses ?? {})) {
    const { headers } = (given[status] ?? {}) as { headers?: unknown };
    if (headers !== undefined) Object.assign(response, { headers });
  }
  return described;
};

const documents = [
  { path: "/v1/openapi.json", version: "1.0.0", prefixes: ["/v1/"] },
  { path: "/v2/openapi.json", version: "2.0.0", prefixes: ["/v2/"] },
  { path: "/openapi.json", version: "2.0.0", prefixes: ["/v1/", "/v2/"] },
] as const;

/** The OpenAPI documents, and a page that shows them without loading anything from other hosts. */
export async function addDocs(api: Api, basePath: string): Promise<void> {
  for (const { path, version, prefixes } of documents) {
    let text: string | undefined;
    api.get(path, { schema: { hide: true } }, async (_request, reply) => {
      text ??= JSON.stringify(
        selectPaths(api.swagger() as unknown as OpenApiDocument, prefixes, version),
      );
      return reply.type("application/json; charset=utf-8").send(text);
    });
  }
  await api.register(async (docs) => {
    docs.addHook("onRequest", async (_request, reply) => {
      reply.header("content-security-policy", docsPolicy);
    });
    docs.addHook("onSend", async (_request, _reply, content) => addViewport(content));
    await docs.register(fastifySwaggerUi, {
      routePrefix: "/docs",
      ...(basePath && { indexPrefix: basePath }),
      theme: { title: "Octavo API" },
      uiConfig: {
        // Without the top bar, which would show another product's logo and a choice of one document.
        layout: "BaseLayout",
        deepLinking: true,
        // The built-in validator would send the document to an external server.
        validatorUrl: null,
      },
    });
  });
}

/** The page has no viewport of its own, and phones would show the desktop width. */
function addViewport(content: unknown): unknown {
  if (typeof content !== "string") return content;
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
  return content.replace("<head>", `<head>${viewport}`);
}

/** The part of a document below some paths, with the schemas it references. */
function selectPaths(
  document: OpenApiDocument,
  prefixes: readonly string[],
  version: string,
): OpenApiDocument {
  const paths = Object.fromEntries(
    Object.entries(document.paths).filter(([path]) =>
      prefixes.some((prefix) => path.startsWith(prefix)),
    ),
  );
  // Webhooks are created by calls of the second version.
  const webhooks = prefixes.includes("/v2/") ? document.webhooks : {};
  const { schemas } = document.components;
  const used = new Set<string>();
  const rest = referencesIn([paths, webhooks]);
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    rest.push(...referencesIn(schemas[name]));
  }
  const usedSchemas = Object.fromEntries([...used].toSorted().map((name) => [name, schemas[name]]));
  return {
    ...document,
    info: { ...document.info, version },
    paths,
    webhooks,
    components: { ...document.components, schemas: usedSchemas },
  };
}

function referencesIn(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...found].map((match) => match[1] ?? "");
}
