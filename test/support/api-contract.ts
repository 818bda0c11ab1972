import assert from "node:assert/strict";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Answer } from "./api-client.ts";

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
}

/** Checks answers against an OpenAPI document, as a client that was generated from it would read them. */
export interface ApiContract {
  /** Fails unless the operation at `path` describes this status and the body fits its schema. */
  assertDescribed(method: string, path: string, answer: Answer): void;
}

export function createApiContract(document: OpenApiDocument): ApiContract {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "octavo");
  return {
    assertDescribed(method, path, { status, body }) {
      const template = templateOf(document, path);
      const operation = document.paths[template]?.[method.toLowerCase()];
      assert.ok(operation, `${method} ${path} is described`);
      assert.ok(
        String(status) in operation.responses,
        `${operation.operationId} describes ${status}`,
      );
      if (status === 204 || status === 304) return;
      const pointer = ["paths", template, method.toLowerCase(), "responses", String(status)];
      const schema = [...pointer, "content", "application/json", "schema"].map(escape).join("/");
      const validate = ajv.compile({ $ref: `octavo#/${schema}` });
      assert.ok(
        validate(body),
        `${operation.operationId} ${status}: ${ajv.errorsText(validate.errors)}`,
      );
    },
  };
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
