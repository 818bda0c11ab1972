import fastifySwagger from "@fastify/swagger";
import fastifySwaggerUi from "@fastify/swagger-ui";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import type { Api } from "./api.ts";
import { parseBasePath } from "./base-path.ts";
import { documentParts, selectPart } from "./openapi-document.ts";
import type { OpenApiDocument } from "./openapi-document.ts";
import { webhookMessages } from "./schemas/webhook.ts";
import { declarePublicRoute, publicRoute } from "./route-rights.ts";
import { docsPolicy } from "./security-headers.ts";

/** Collects the schemas of the routes that are added after this call. */
export async function describeRoutes(api: Api): Promise<void> {
  await api.register(fastifySwagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Octavo API",
        version: "2.0.0",
      },
      tags: [
        { name: "Static export", description: "Export a whole site as one bundle." },
        { name: "Agent jobs", description: "Turn an instruction into a pull request." },
        { name: "Projects", description: "The sites of the service." },
        { name: "API keys", description: "Access to the API." },
        { name: "Webhooks", description: "Notifications when a job ends." },
        { name: "Audit log", description: "Who did what." },
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

/** Adds response headers, which the library's transform omits. */
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

/** Adds the OpenAPI documents, and a page that shows them without loading anything from other hosts. */
export async function addDocs(api: Api, baseUrl: () => string): Promise<void> {
  for (const part of documentParts) {
    let text: string | undefined;
    api.get(part.path, { ...publicRoute, schema: { hide: true } }, async (_request, reply) => {
      const whole = api.swagger() as unknown as OpenApiDocument;
      text ??= JSON.stringify(selectPart(whole, part, baseUrl()));
      return reply.type("application/json; charset=utf-8").send(text);
    });
  }
  const basePath = parseBasePath(baseUrl());
  await api.register(async (docs) => {
    docs.addHook("onRequest", async (_request, reply) => {
      reply.header("content-security-policy", docsPolicy);
    });
    docs.addHook("onRoute", declarePublicRoute);
    docs.addHook("onSend", async (_request, reply, content) => {
      const isPage = String(reply.getHeader("content-type")).startsWith("text/html");
      return isPage && typeof content === "string" ? completePage(content, basePath) : content;
    });
    await docs.register(fastifySwaggerUi, {
      routePrefix: "/docs",
      ...(basePath && { indexPrefix: basePath }),
      theme: {
        title: "Octavo API",
        css: [{ filename: "octavo.css", content: pageStyle }],
        js: [{ filename: "octavo.js", content: followColorScheme }],
      },
      uiConfig: {
        // Without the top bar, which would show another product's logo and a selection of one document.
        layout: "BaseLayout",
        deepLinking: true,
        // The built-in validator would send the document to an external server.
        validatorUrl: null,
      },
    });
  });
}

/** Adds a viewport, without which phones would show the desktop width, and a link back. */
function completePage(content: string, basePath: string): string {
  const viewport = '<meta name="viewport" content="width=device-width, initial-scale=1">';
  const wayBack = `<a class="way-back" href="${basePath}/">Back to Octavo</a>`;
  return content
    .replace("<head>", `<head>${viewport}`)
    .replace(/<body[^>]*>/, (body) => `${body}${wayBack}`);
}

const pageStyle = `
.way-back { display: block; padding: 1rem 20px 0; font: 1rem sans-serif; color: #8a3b12 }
html.dark-mode { color-scheme: dark }
html.dark-mode body { background: #1c2022 }
html.dark-mode .way-back { color: #e9a178 }
`;

/** The library has a dark mode, but its switch is in the top bar, which is not shown. */
const followColorScheme = `
const isDark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", isDark.matches);
isDark.addEventListener("change", follow);
follow();
`;
