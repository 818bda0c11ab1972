import type {
  CodeSample,
  Content,
  Example,
  Parameter,
  SecurityScheme,
  Server,
} from "./api-subject.ts";
import { entriesOf, arrayOf, memberOf, recordOf, stringOf, stringItemsOf } from "./plain-value.ts";
import type { PlainRecord } from "./plain-value.ts";
import { pointerTo } from "./pointer.ts";
import type { References } from "./references.ts";
import type { SchemaKeys, SchemaReader } from "./schemas.ts";

/** What the parts of one page's subject are read with. */
export interface ReadContext {
  readonly references: References;
  readonly schemas: SchemaReader;
  /** Keys of the schemas that the parts refer to; added while they are read. */
  readonly keys: SchemaKeys;
}

/** `{ description }` if there is one, else `{}`. */
export function pickDescription(record: unknown): { description?: string } {
  const description = stringOf(memberOf(record, "description"));
  return description === undefined ? {} : { description };
}

export function readServer(value: unknown, url: string): Server {
  const variables: Record<string, Server["variables"][string]> = {};
  for (const [name, variable] of entriesOf(memberOf(value, "variables"))) {
    const initial = memberOf(variable, "default");
    variables[name] = {
      default: scalarText(initial),
      values: stringItemsOf(memberOf(variable, "enum")),
      ...pickDescription(variable),
    };
  }
  return { url, ...pickDescription(value), variables };
}

function scalarText(value: unknown): string {
  const isScalar = typeof value === "string" || typeof value === "number";
  return isScalar ? String(value) : "";
}

export function readServers(value: unknown): Server[] {
  return arrayOf(value).flatMap((server) => {
    const url = stringOf(memberOf(server, "url"));
    return url === undefined ? [] : [readServer(server, url)];
  });
}

/** Reads a header, or a parameter without its place. `parameter` is already resolved. */
export function readParameterOrHeader(
  parameter: PlainRecord,
  at: { readonly name: string; readonly pointer: string },
  context: ReadContext,
): Omit<Parameter, "place"> {
  const { schemas, keys } = context;
  const own = schemas.read(memberOf(parameter, "schema"), pointerTo(at.pointer, "schema"), keys);
  // A parameter with serialized content has its schema below a media type.
  const content = readContents(parameter, at.pointer, context)[0];
  const style = stringOf(memberOf(parameter, "style"));
  const explode = memberOf(parameter, "explode");
  return {
    name: at.name,
    ...pickDescription(parameter),
    isRequired: memberOf(parameter, "required") === true,
    isDeprecated: memberOf(parameter, "deprecated") === true,
    schema: own ?? content?.schema ?? {},
    examples: [
      ...readExamples(parameter, at.pointer, context.references),
      ...(content?.examples ?? []),
    ],
    ...(style === undefined ? {} : { style }),
    ...(typeof explode === "boolean" ? { explode } : {}),
  };
}

/** Reads the media types of a body, a response or a parameter. */
export function readContents(
  holder: PlainRecord,
  pointer: string,
  context: ReadContext,
): Content[] {
  const { schemas, keys, references } = context;
  const at = pointerTo(pointer, "content");
  return entriesOf(memberOf(holder, "content")).flatMap(([mediaType, value]): Content[] => {
    const place = pointerTo(at, mediaType);
    const media = references.resolve(value, place);
    if (!media) return [];
    const schemaPlace = pointerTo(media.pointer, "schema");
    const schema = schemas.read(memberOf(media.value, "schema"), schemaPlace, keys);
    return [
      {
        mediaType,
        ...(schema === undefined ? {} : { schema }),
        examples: readExamples(media.value, media.pointer, references),
      },
    ];
  });
}

/** Reads `example` and the named ones of `examples`, except those with an `externalValue`. */
function readExamples(holder: PlainRecord, pointer: string, references: References): Example[] {
  const single = memberOf(holder, "example");
  const found: Example[] = single === undefined ? [] : [{ name: "example", value: single }];
  const at = pointerTo(pointer, "examples");
  for (const [name, value] of entriesOf(memberOf(holder, "examples"))) {
    const example = references.resolve(value, pointerTo(at, name));
    if (!example || !Object.hasOwn(example.value, "value")) continue;
    const summary = stringOf(example.value["summary"]);
    const { value: shown } = example.value;
    found.push({ name, ...(summary === undefined ? {} : { summary }), value: shown });
  }
  return found;
}

/** Reads the alternatives of `security`, each with all schemes that it requires. */
export function readSecurity(
  requirements: unknown,
  pointer: string,
  references: References,
): SecurityScheme[][] {
  const { securitySchemes } = references.document.named;
  const schemes = references.at(securitySchemes);
  return arrayOf(requirements).map((requirement, index) =>
    entriesOf(requirement).flatMap(([name, scopes]) => {
      const place = pointerTo(pointerTo(pointer, index), name);
      const value = memberOf(schemes, name);
      if (value === undefined) {
        const message = `The security scheme ${JSON.stringify(name)} is not defined in ${securitySchemes.slice(1).replace("/", ".")}; it is omitted.`;
        references.document.warn("description_reference", message, place);
        return [];
      }
      const at = pointerTo(securitySchemes, name);
      const scheme = references.resolve(value, at);
      return scheme ? [readScheme(scheme.value, name, stringItemsOf(scopes))] : [];
    }),
  );
}

export function readScheme(
  scheme: PlainRecord,
  name: string,
  scopes: readonly string[],
): SecurityScheme {
  const place = memberOf(scheme, "in");
  const keyName = stringOf(memberOf(scheme, "name"));
  const format = stringOf(memberOf(scheme, "bearerFormat"));
  const isPlace = place === "header" || place === "query" || place === "cookie";
  return {
    name,
    type: schemeType(scheme),
    ...pickDescription(scheme),
    ...(isPlace ? { place } : {}),
    ...(keyName === undefined ? {} : { keyName }),
    ...(format === undefined ? {} : { format }),
    scopes,
  };
}

function schemeType(scheme: PlainRecord): SecurityScheme["type"] {
  const type = memberOf(scheme, "type");
  const http = stringOf(memberOf(scheme, "scheme"))?.toLowerCase();
  if (type === "http") return http === "bearer" || http === "basic" ? http : "other";
  // Of Swagger 2.0.
  if (type === "basic") return type;
  if (type === "apiKey" || type === "httpApiKey") return "key";
  if (type === "oauth2" || type === "openIdConnect" || type === "mutualTLS") return type;
  return "other";
}

/** Reads `x-codeSamples`: a list of `{ lang, label, source }`. */
export function readSamples(operation: PlainRecord): CodeSample[] {
  const samples = memberOf(operation, "x-codeSamples") ?? memberOf(operation, "x-code-samples");
  return arrayOf(samples).flatMap((sample) => {
    const source = stringOf(memberOf(sample, "source"));
    const label = stringOf(memberOf(sample, "label"));
    const language = stringOf(memberOf(sample, "lang"));
    if (!recordOf(sample) || source === undefined) return [];
    const shown = label ?? language ?? "Example";
    return [{ language: (language ?? "text").toLowerCase(), label: shown, source }];
  });
}
