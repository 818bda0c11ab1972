import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { AnySchema } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { ApiClient, ClientResponse } from "./api-client.ts";

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}
interface Response {
  readonly headers?: Readonly<Record<string, { readonly schema: AnySchema }>>;
}

/** Headers that a client acts on: none of them comes without being described. */
const toldHeaders = [
  "etag",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
];

/** Checks answers against an OpenAPI document, as a client that was generated from it would read them. */
export interface ApiContract {
  /**
   * Fails unless the operation at `path` describes this status, the body fits its schema, and the answer
   * has the headers that are described, and no other of `toldHeaders`.
   */
  assertDescribed(method: string, path: string, answer: ClientResponse): void;
  /** Calls an operation, such as `GET /v2/projects/{projectId}`, at a path, and asserts that its answer is described. */
  call<Body>(
    operation: string,
    path: string,
    request: { client: ApiClient; body?: unknown; headers?: Record<string, string> },
  ): Promise<ClientResponse<Body>>;
}

/** Checks answers against the document that a running service serves at `path`. */
export async function openApiContract(
  baseUrl: string,
  path = "/v2/openapi.json",
): Promise<ApiContract> {
  const response = await fetch(new URL(path, baseUrl));
  return createApiContract((await response.json()) as OpenApiDocument);
}

export function createApiContract(document: OpenApiDocument): ApiContract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "octavo");
  const contract: ApiContract = {
    assertDescribed(method, path, { status, headers, body }) {
      const template = templateOf(document, path);
      const operation = document.paths[template]?.[method.toLowerCase()];
      assert.ok(operation, `${method} ${path} is described`);
      assert.ok(
        String(status) in operation.responses,
        `${operation.operationId} describes ${status}`,
      );
      const shown = `${operation.operationId} ${status}`;
      assertHeaders(headers, operation.responses[status], shown);
      if (status === 204 || status === 304) return;
      const pointer = ["paths", template, method.toLowerCase(), "responses", String(status)];
      const schema = [...pointer, "content", "application/json", "schema"].map(escape).join("/");
      const validate = ajv.compile({ $ref: `octavo#/${schema}` });
      assert.ok(validate(body), `${shown}: ${ajv.errorsText(validate.errors)}`);
    },
    async call<Body>(
      operation: string,
      path: string,
      { client, ...options }: Parameters<ApiContract["call"]>[2],
    ) {
      const [method = "", described = ""] = operation.split(" ");
      const answer = await client.call<Body>(method, path, options);
      contract.assertDescribed(method, described, answer);
      return answer;
    },
  };
  return contract;

  function assertHeaders(headers: Headers, response: Response | undefined, shown: string): void {
    const described = Object.entries(response?.headers ?? {});
    const names = new Set(described.map(([name]) => name.toLowerCase()));
    const more = toldHeaders.filter((name) => headers.has(name) && !names.has(name));
    assert.deepEqual(more, [], `${shown} has headers that are not described`);
    for (const [name, { schema }] of described) {
      const text = headers.get(name);
      const isNumber = (schema as { type?: string }).type === "integer";
      const validate = ajv.compile(schema);
      const value = isNumber && text !== null ? Number(text) : text;
      assert.ok(validate(value), `${shown} ${name}: ${ajv.errorsText(validate.errors)}`);
    }
  }
}

function templateOf(document: OpenApiDocument, path: string): string {
  const [bare = ""] = path.split("?");
  const fits = (template: string) =>
    new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(bare);
  // A path without parameters is meant before one with.
  const found = Object.keys(document.paths)
    .toSorted((one, other) => Number(one.includes("{")) - Number(other.includes("{")))
    .find(fits);
  assert.ok(found, `${bare} is described`);
  return found;
}

function escape(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}
