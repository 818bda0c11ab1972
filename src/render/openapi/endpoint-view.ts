import type { ApiResponse, Body, Content, Endpoint, Parameter } from "./endpoint.ts";
import { fieldSlug } from "./schema/field-slug.ts";
import { resolveSchema } from "./schema/resolve-schema.ts";
import { ShapeBuilder, type Field, type Shape } from "./schema/shape.ts";

/** An endpoint as its page shows it, in HTML as in Markdown. */
export interface EndpointView {
  readonly endpoint: Endpoint;
  readonly parameters: ReadonlyMap<Parameter["place"], readonly Field[]>;
  readonly body?: {
    readonly description?: string;
    readonly isRequired: boolean;
    readonly contents: readonly ContentView[];
  };
  readonly responses: readonly ResponseView[];
  readonly callbacks: readonly EndpointView[];
}

export interface ContentView {
  readonly mediaType: string;
  readonly shape?: Shape;
}

export interface ResponseView {
  readonly status: string;
  readonly description?: string;
  readonly headers: readonly Field[];
  readonly contents: readonly ContentView[];
}

/** In the order in which pages show them. */
const places = ["path", "query", "header", "cookie"] as const;

/** Requests that an API makes of its own; further ones are in no real description. */
const mostCallbacks = 20;

export function viewEndpoint(endpoint: Endpoint): EndpointView {
  const builder = new ShapeBuilder(endpoint.schemas);
  const view = new ViewMaker(endpoint, builder, "").make();
  builder.fill();
  return view;
}

class ViewMaker {
  readonly #endpoint: Endpoint;
  readonly #builder: ShapeBuilder;
  /** What the ids of a callback begin with. */
  readonly #prefix: string;

  constructor(endpoint: Endpoint, builder: ShapeBuilder, prefix: string) {
    this.#endpoint = endpoint;
    this.#builder = builder;
    this.#prefix = prefix;
  }

  make(): EndpointView {
    const { parameters, body, responses } = this.#endpoint;
    const byPlace = new Map<Parameter["place"], readonly Field[]>();
    for (const place of places) {
      const fields = parameters
        .filter((parameter) => parameter.place === place)
        .map((parameter) => this.#parameter(parameter, place, "request"));
      if (fields.length > 0) byPlace.set(place, fields);
    }
    const main = mainResponse(responses);
    return {
      endpoint: this.#endpoint,
      parameters: byPlace,
      ...(body === undefined ? {} : { body: this.#body(body) }),
      responses: responses.map((response) => this.#response(response, response === main)),
      callbacks: this.#callbacks(),
    };
  }

  #parameter(
    parameter: Omit<Parameter, "place">,
    place: string,
    direction: "request" | "response",
  ): Field {
    const { name, schema, isRequired } = parameter;
    const anchor = `${this.#prefix}${place}-${fieldSlug(name)}`;
    const resolved = resolveSchema(schema, this.#endpoint.schemas);
    const description = parameter.description ?? resolved.description;
    const [example] = parameter.examples;
    const given = example === undefined ? schema : { ...schema, examples: [example.value] };
    return {
      name,
      kind: "name",
      anchor,
      isRequired,
      isDeprecated: parameter.isDeprecated || resolved.deprecated === true,
      ...(description === undefined ? {} : { description }),
      shape: this.#builder.shape(given, { direction, anchor }),
    };
  }

  #body({ description, isRequired, contents }: Body): NonNullable<EndpointView["body"]> {
    return {
      ...(description === undefined ? {} : { description }),
      isRequired,
      contents: contents.map((content) => this.#content(content, "body", "request")),
    };
  }

  #response(
    { status, description, headers, contents }: ApiResponse,
    isMain: boolean,
  ): ResponseView {
    const anchor = isMain ? "response" : `response-${fieldSlug(status)}`;
    return {
      status,
      ...(description === undefined ? {} : { description }),
      headers: headers.map((header) => this.#parameter(header, `${anchor}-header`, "response")),
      contents: contents.map((content) => this.#content(content, anchor, "response")),
    };
  }

  #content(
    { mediaType, schema }: Content,
    anchor: string,
    direction: "request" | "response",
  ): ContentView {
    if (schema === undefined) return { mediaType };
    const options = { direction, anchor: this.#prefix + anchor };
    return { mediaType, shape: this.#builder.shape(schema, options) };
  }

  /** What the API sends, its callers answer: callbacks of callbacks are not shown. */
  #callbacks(): EndpointView[] {
    if (this.#prefix !== "") return [];
    const { callbacks, schemas } = this.#endpoint;
    return callbacks.slice(0, mostCallbacks).map((callback, index) => {
      const whole = { ...callback, schemas: { ...callback.schemas, ...schemas } };
      return new ViewMaker(whole, this.#builder, `callback-${index + 1}-`).make();
    });
  }
}

/** The response that links without a status mean: the first that is no failure. */
function mainResponse(responses: readonly ApiResponse[]): ApiResponse | undefined {
  return responses.find(({ status }) => status.startsWith("2")) ?? responses[0];
}
