import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import type { AnySchema } from "ajv";
import { default as addFormats } from "ajv-formats";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: AnySchema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: AnySchema;
  readonly responses: Readonly<Record<string, AnySchema>>;
}

/** A request as it came over the wire, with what was answered. */
export interface ApiExchange {
  readonly method: string;
  /** Below the API's root, e.g. `/repos/acme/docs/pulls`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Schemas to which others refer. */
  readonly definitions?: Readonly<Record<string, AnySchema>>;
}

// Descriptions of OpenAPI 3.0 have `nullable`, which ajv knows; their formats are not all JSON Schema's.
const ajv = new Ajv({ strict: false, coerceTypes: true, allErrors: true, logger: false });
(addFormats as unknown as (ajv: Ajv) => void)(ajv);

/**
 * Reads a code host's published description, or the part of it in `test/fixtures`. What it returns fails where a
 * request is not one that the description knows, or where what was answered to it is not what the host would answer:
 * then the stand-in has drifted, and its tests would prove nothing. It gives back the operation's name.
 */
export function openDescription(file: string): (exchange: ApiExchange) => string {
  const text = readFileSync(join(import.meta.dirname, "../fixtures", file), "utf8");
  const description = JSON.parse(text) as Description;
  return (exchange) => checkExchange(description, exchange);
}

function checkExchange(description: Description, exchange: ApiExchange): string {
  const shown = `${exchange.method} ${exchange.path}`;
  const { definitions = {} } = description;
  const checkAs = (schema: AnySchema, value: unknown, what: string): void =>
    check({ value: schema, definitions }, value, `${shown} ${what}`);
  const [operation, values] = findOperation(description, exchange);
  for (const parameter of operation.parameters) {
    const given = parameter.in === "path" ? values[parameter.name] : exchange.query[parameter.name];
    if (given === undefined) assert.ok(!parameter.required, `${shown} lacks ${parameter.name}`);
    else checkAs(parameter.schema, given, parameter.name);
  }
  const known = new Set(operation.parameters.map(({ name }) => name));
  for (const name of Object.keys(exchange.query)) assert.ok(known.has(name), `${shown} ?${name}`);
  checkBody(operation, exchange.body, shown);
  if (operation.requestBody !== undefined && exchange.body !== undefined) {
    checkAs(operation.requestBody, exchange.body, "body");
  }
  const schema = operation.responses[String(exchange.status)];
  if (exchange.status < 300) {
    assert.ok(schema, `${shown} is never answered by ${exchange.status}`);
    checkAs(schema, exchange.answer, "answered");
  }
  return operation.operationId;
}

function findOperation(
  description: Description,
  { method, path }: ApiExchange,
): [Operation, Record<string, string>] {
  for (const [template, operations] of Object.entries(description.paths)) {
    const operation = operations[method.toLowerCase()];
    const names: string[] = [];
    const pattern = template.replaceAll(/\{([^}]+)\}/g, (_, name: string) => {
      names.push(name);
      return "([^/]+)";
    });
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (!operation || !match) continue;
    const values = names.map((name, at) => [name, decodeURIComponent(match[at + 1] ?? "")]);
    return [operation, Object.fromEntries(values) as Record<string, string>];
  }
  throw new assert.AssertionError({ message: `The host has no operation ${method} ${path}` });
}

function checkBody({ requestBody }: Operation, body: unknown, shown: string): void {
  if (requestBody === undefined) {
    assert.equal(body, undefined, `${shown} takes no body`);
    return;
  }
  // A definition says itself which fields it has.
  if (body === undefined || (requestBody as { $ref?: string }).$ref !== undefined) return;
  const { oneOf = [requestBody] } = requestBody as { oneOf?: AnySchema[] };
  const forms = oneOf as { properties?: Record<string, unknown> }[];
  for (const name of Object.keys(body as object))
    assert.ok(
      forms.some(({ properties = {} }) => name in properties),
      `${shown} .${name}`,
    );
}

interface Checked {
  readonly value: AnySchema;
  readonly definitions: Readonly<Record<string, AnySchema>>;
}

/** The value stands in an object, so that texts of a query can be taken for the numbers that they are. */
function check({ value: schema, definitions }: Checked, value: unknown, shown: string): void {
  const validate = ajv.compile({ type: "object", properties: { value: schema }, definitions });
  assert.ok(
    validate({ value: structuredClone(value) }),
    `${shown}: ${ajv.errorsText(validate.errors)}`,
  );
}
