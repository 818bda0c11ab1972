import type { SecurityScheme, Server } from "./api-subject.ts";
import {
  findDescription,
  listEntries,
  toArray,
  findMember,
  toTrimmedString,
  toStringItems,
} from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { joinPointer } from "./pointer.ts";
import type { References } from "./document.ts";
import type { SchemaKeys, SchemaReader } from "./schemas.ts";

/** The context for reading the parts of one page's subject. */
export interface ReadContext {
  readonly references: References;
  readonly schemas: SchemaReader;
  /** Keys of the schemas to which the parts refer. The keys are added while the parts are read. */
  readonly keys: SchemaKeys;
}

/** Returns `{ description }` if the record has a description or a link to external documentation, otherwise `{}`. */
export function pickDescription(record: unknown): { description?: string } {
  const description = findDescription(record);
  return description === undefined ? {} : { description };
}

export function readServer(value: unknown, url: string): Server {
  const variables: Record<string, Server["variables"][string]> = {};
  for (const [name, variable] of listEntries(findMember(value, "variables"))) {
    const defaultValue = findMember(variable, "default");
    variables[name] = {
      default: toScalarText(defaultValue),
      values: toArray(findMember(variable, "enum")).map((value) => toScalarText(value)),
      ...pickDescription(variable),
    };
  }
  return { url, ...pickDescription(value), variables };
}

function toScalarText(value: unknown): string {
  const isScalar = ["string", "number", "boolean"].includes(typeof value);
  return isScalar ? String(value) : "";
}

/** Reads the alternatives of `security`, each of which lists all schemes that it requires. */
export function readSecurity(
  requirements: unknown,
  pointer: string,
  references: References,
): SecurityScheme[][] {
  const { securitySchemes } = references.document.containerPointers;
  const schemes = references.getValue(securitySchemes);
  return toArray(requirements).map((requirement, index) =>
    listEntries(requirement).flatMap(([name, scopes]) => {
      const location = joinPointer(joinPointer(pointer, index), name);
      const value = findMember(schemes, name);
      if (value === undefined) {
        const message = `The security scheme ${JSON.stringify(name)} is not defined in ${securitySchemes.slice(1).replace("/", ".")}; it is omitted.`;
        references.document.warn("description_reference", message, location);
        return [];
      }
      const schemePointer = joinPointer(securitySchemes, name);
      const scheme = references.resolve(value, schemePointer);
      return scheme ? [readScheme(scheme.value, name, toStringItems(scopes))] : [];
    }),
  );
}

export function readScheme(
  scheme: PlainRecord,
  name: string,
  scopes: readonly string[],
): SecurityScheme {
  const location = findMember(scheme, "in");
  const keyName = toTrimmedString(findMember(scheme, "name"));
  const format = toTrimmedString(findMember(scheme, "bearerFormat"));
  const isKnownLocation = location === "header" || location === "query" || location === "cookie";
  return {
    name,
    type: readSchemeType(scheme),
    ...pickDescription(scheme),
    ...(isKnownLocation ? { location } : {}),
    ...(keyName === undefined ? {} : { keyName }),
    ...(format === undefined ? {} : { format }),
    scopes,
    ...readFlows(scheme),
  };
}

const flowAddresses = [
  "authorizationUrl",
  "deviceAuthorizationUrl",
  "tokenUrl",
  "refreshUrl",
  "openIdConnectUrl",
  "oauth2MetadataUrl",
];

/** Reads OAuth 2 flows. In Swagger 2.0 and OpenID Connect, the members of a flow are on the scheme itself. */
function readFlows(scheme: PlainRecord): Pick<SecurityScheme, "scopeDescriptions" | "addresses"> {
  const flows = listEntries(findMember(scheme, "flows")).map(([, flow]) => flow);
  const scopes: Record<string, string> = {};
  const addresses: Record<string, string> = {};
  for (const flow of [...flows, scheme]) {
    const scopeTexts = findMember(flow, "scopes") ?? findMember(flow, "availableScopes");
    for (const [name, text] of listEntries(scopeTexts)) {
      const description = toTrimmedString(text);
      if (description !== undefined) scopes[name] = description;
    }
    for (const key of flowAddresses) {
      const address = toTrimmedString(findMember(flow, key));
      if (address !== undefined) addresses[key] = address;
    }
  }
  return {
    ...(Object.keys(scopes).length === 0 ? {} : { scopeDescriptions: scopes }),
    ...(Object.keys(addresses).length === 0 ? {} : { addresses }),
  };
}

function readSchemeType(scheme: PlainRecord): SecurityScheme["type"] {
  const type = findMember(scheme, "type");
  const http = toTrimmedString(findMember(scheme, "scheme"))?.toLowerCase();
  if (type === "http") return http === "bearer" || http === "basic" ? http : "other";
  // `basic` is a type in Swagger 2.0.
  if (type === "basic") return type;
  if (type === "apiKey" || type === "httpApiKey") return "key";
  if (type === "oauth2" || type === "openIdConnect" || type === "mutualTLS") return type;
  return "other";
}
