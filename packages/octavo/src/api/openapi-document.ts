/** The parts of the OpenAPI document from which clients are generated. */

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly tags?: readonly string[];
  readonly responses: Json;
}

export interface OpenApiDocument {
  readonly info: Json;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Json & { readonly schemas: Json };
}

interface DocumentPart {
  /** The path that serves it. */
  readonly path: string;
  readonly version: string;
  readonly title: string;
  readonly subject: string;
  /** The path prefixes that it covers. */
  readonly prefixes: readonly string[];
}

export const documentParts: readonly DocumentPart[] = [
  {
    path: "/v1/openapi.json",
    version: "1.0.0",
    title: "Octavo API: static export",
    subject: "Static exports of documentation sites.",
    prefixes: ["/v1/"],
  },
  {
    path: "/v2/openapi.json",
    version: "2.0.0",
    title: "Octavo API: agent jobs and administration",
    subject: "Agent jobs, projects, API keys, webhooks and the audit log.",
    prefixes: ["/v2/"],
  },
  {
    path: "/openapi.json",
    version: "2.0.0",
    title: "Octavo API",
    subject:
      "Static exports of documentation sites, agent jobs, projects, API keys, webhooks and the audit log.",
    prefixes: ["/v1/", "/v2/"],
  },
];

/** Returns the part of the document below some paths, with the tags and schemas that it uses. */
export function selectPart(
  document: OpenApiDocument,
  { version, title, subject, prefixes }: DocumentPart,
  baseUrl: string,
): OpenApiDocument & { readonly servers: readonly Json[] } {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .filter(([path]) => prefixes.some((prefix) => path.startsWith(prefix)))
      .map(([path, operations]) => [path, withDefaultResponses(operations)]),
  );
  // Webhooks are created by calls of the second version.
  const webhooks = prefixes.includes("/v2/") ? document.webhooks : {};
  const operations = [paths, webhooks].flatMap((all) => Object.values(all).flatMap(Object.values));
  const tags = new Set(
    (operations as readonly Operation[]).flatMap((operation) => operation.tags ?? []),
  );
  const description =
    `${subject} Every error has the body \`{"error": "<sentence>"}\`, and every response has the header ` +
    "`X-Request-Id`. Responses may get new fields.";
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

/** Adds a default response for statuses that no operation lists: internal errors, and responses of proxies. */
function withDefaultResponses(
  operations: Readonly<Record<string, Operation>>,
): Readonly<Record<string, Operation>> {
  const schema = { $ref: "#/components/schemas/Error" };
  const otherwise = {
    description: "Any other error.",
    content: { "application/json": { schema } },
  };
  return Object.fromEntries(
    Object.entries(operations).map(([method, operation]) => [
      method,
      { ...operation, responses: { ...operation.responses, default: otherwise } },
    ]),
  );
}

/** Returns the schemas that a part of the document uses. Schemas of responses allow new fields. */
function collectSchemas({ components: { schemas } }: OpenApiDocument, part: unknown): Json {
  const used = new Set<string>();
  const rest = referencesIn(part);
  for (let name = rest.pop(); name !== undefined; name = rest.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    rest.push(...referencesIn(schemas[name]));
  }
  const entries = [...used].toSorted().map((name) => {
    const isOfRequest = name.endsWith(requestEnding);
    return [name, isOfRequest ? schemas[name] : withNewFields(schemas[name])];
  });
  return Object.fromEntries(entries) as Json;
}

/** The suffix that the library adds to the names of request schemas. */
const requestEnding = "Input";

function withNewFields(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNewFields);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([name, value]) => name !== "additionalProperties" || value !== false,
  );
  return Object.fromEntries(entries.map(([name, value]) => [name, withNewFields(value)]));
}

function referencesIn(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...found].map((match) => match[1] ?? "");
}
