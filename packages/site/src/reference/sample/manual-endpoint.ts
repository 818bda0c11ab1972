import { readFlagProp, readTextProp } from "../../components/index.ts";
import {
  getChildren,
  isElement,
  type ElementNode,
  type PropValue,
  type TreeNode,
} from "../../page/index.ts";
import type { Endpoint, Parameter, Schema, SecurityScheme } from "../../openapi/index.ts";
import { parseAuthMethod, type ApiSettings, type AuthMethod } from "../settings.ts";

/** A hand-written page about an endpoint that the page's own fields describe. */
export interface ManualPage {
  readonly kind: "manual";
  /** The operation of `POST /v1/x` or `POST https://host/v1/x`, with the method in lowercase. */
  readonly operation: { readonly method: string; readonly path: string };
  readonly title: string;
  /** `authMethod` of the page's frontmatter. Defaults to the site's setting. */
  readonly authMethod: unknown;
  readonly tree: readonly TreeNode[];
}

const parameterLocations = ["path", "query", "header", "cookie"] as const;
const maxDepth = 8;

export function createManualEndpoint(page: ManualPage, { manual }: ApiSettings): Endpoint {
  const { operation, title, tree } = page;
  const { server, rest } = splitAddress(operation.path);
  const servers = server === undefined ? manual.servers : [server];
  const scheme = createScheme(
    parseAuthMethod(page.authMethod) ?? manual.authMethod,
    manual.authName,
  );
  const fields = listFields(tree);
  const properties = fields.filter(({ props }) => readTextProp(props, "body") !== undefined);
  const body = createObject(properties, 0);
  const isJson = !properties.some(({ props }) =>
    /^file\b/i.test(readTextProp(props, "type") ?? ""),
  );
  const mediaType = isJson ? "application/json" : "multipart/form-data";
  return {
    kind: "operation",
    method: operation.method,
    path: rest,
    title,
    isDeprecated: false,
    servers: servers.map((url) => ({ url, variables: {} })),
    security: scheme === undefined ? [] : [[scheme]],
    parameters: fields.flatMap((field) => toParameters(field)),
    ...(properties.length === 0
      ? {}
      : { body: { isRequired: true, contents: [{ mediaType, schema: body, examples: [] }] } }),
    responses: [],
    callbacks: [],
    samples: [],
    schemas: {},
  };
}

const wholeAddress = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)(.*)$/is;

function splitAddress(address: string): { readonly server?: string; readonly rest: string } {
  const [, server, rest = ""] = wholeAddress.exec(address) ?? [];
  return server === undefined ? { rest: address } : { server, rest };
}

function createScheme(
  method: AuthMethod | undefined,
  name: string | undefined,
): SecurityScheme | undefined {
  if (method === undefined || method === "none") return undefined;
  if (method === "bearer" || method === "basic") return { name: method, type: method, scopes: [] };
  return {
    name: method,
    type: "key",
    location: "header",
    keyName: name ?? "x-api-key",
    scopes: [],
  };
}

function toParameters({ props, children }: ElementNode): Parameter[] {
  const location = parameterLocations.find((name) => readTextProp(props, name) !== undefined);
  const name = location && readTextProp(props, location);
  if (location === undefined || name === undefined) return [];
  return [
    {
      name,
      location,
      isRequired: readFlagProp(props, "required") === true,
      isDeprecated: readFlagProp(props, "deprecated") === true,
      schema: createSchema(props, children, 0),
      examples: [],
    },
  ];
}

function createObject(fields: readonly ElementNode[], depth: number): Schema {
  const entries = fields.map(({ props, children }): [string, Schema] => [
    readPropertyName(props),
    createSchema(props, children, depth),
  ]);
  const required = fields
    .filter(({ props }) => readFlagProp(props, "required") === true)
    .map(({ props }) => readPropertyName(props));
  return { type: ["object"], properties: Object.fromEntries(entries), required };
}

function readPropertyName(props: ElementNode["props"]): string {
  return readTextProp(props, "body") ?? readTextProp(props, "name") ?? "";
}

const scalarTypes: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
]);

/** Returns the schema for a type as authors write it, such as `string`, `integer[]`, `file` or `"a" | "b"`. */
function createSchema(
  props: ElementNode["props"],
  children: readonly TreeNode[],
  depth: number,
): Schema {
  const example = props["placeholder"] ?? props["default"];
  const type = (readTextProp(props, "type") ?? "").toLowerCase();
  const isList = /\[\]$|^array\b|^list\b/.test(type);
  const itemType = type.replace(/\[\]$/, "").replace(/^(?:array|list)(?:<(.*)>)?$/, "$1");
  const innerFields = depth < maxDepth ? listFields(children) : [];
  const value =
    innerFields.length > 0 ? createObject(innerFields, depth + 1) : createScalar(itemType);
  return isList
    ? { type: ["array"], items: value }
    : { ...value, ...readExample(example, value.type?.[0] ?? "string") };
}

/** Returns the example of a field. Placeholders are strings, regardless of the type. */
function readExample(value: PropValue | undefined, type: string): Pick<Schema, "examples"> {
  if (typeof value === "number" || typeof value === "boolean") return { examples: [value] };
  if (typeof value !== "string") return {};
  if (type === "boolean") return { examples: [value === "true"] };
  const number = type === "number" || type === "integer" ? Number(value) : Number.NaN;
  return { examples: [Number.isNaN(number) ? value : number] };
}

function createScalar(type: string): Schema {
  if (type === "file") return { type: ["string"], format: "binary" };
  if (type === "int") return { type: ["integer"] };
  if (type === "bool") return { type: ["boolean"] };
  return { type: [scalarTypes.has(type) ? type : "string"] };
}

/** Lists the fields in part of a page, except those in other fields. Not recursive, because pages nest deeply. */
function listFields(nodes: readonly TreeNode[]): ElementNode[] {
  const fields: ElementNode[] = [];
  const stack = nodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isElement(node) && node.name === "ParamField") {
      fields.push(node);
      continue;
    }
    for (const child of getChildren(node).toReversed()) stack.push(child);
  }
  return fields;
}
