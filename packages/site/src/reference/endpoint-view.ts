import type {
  ApiResponse,
  Body,
  Content,
  Endpoint,
  Parameter,
  AsyncChannel,
  AsyncMessage,
  AsyncOperation,
} from "../openapi/index.ts";
import { ShapeBuilder } from "./schema/shape-builder.ts";
import { createFieldIdPart, type Direction, type Field, type Shape } from "./schema/shape.ts";
import type { DeferredPart, Omissions } from "./schema/shape.ts";
import type { Resolve } from "./schema/resolve-schema.ts";

/** An endpoint as its page shows it, in HTML and in Markdown. */
export interface EndpointView {
  readonly endpoint: Endpoint;
  /** The prefix of the endpoint's ids; empty except for callbacks (for example `callback-sent-`). */
  readonly prefix: string;
  readonly parameters: ReadonlyMap<Parameter["location"], readonly Field[]>;
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

/** The locations of parameters, in the order in which pages show them. */
const parameterLocations = ["path", "query", "header", "cookie"] as const;

/** The schema parts that are loaded when a reader opens them, and the parts that the page omits. */
export interface SchemaRemainder {
  readonly parts: readonly DeferredPart[];
  readonly omissions: Omissions;
}

export function createEndpointView(
  endpoint: Endpoint,
  resolve: Resolve,
): EndpointView & SchemaRemainder {
  const builder = new ShapeBuilder(resolve, endpoint);
  const view = new EndpointViewBuilder(endpoint, builder, "").build();
  builder.fill();
  return { ...view, parts: builder.parts, omissions: builder.omissions };
}

class EndpointViewBuilder {
  readonly #endpoint: Endpoint;
  readonly #builder: ShapeBuilder;
  readonly #prefix: string;
  /** The direction of the request. For a webhook or callback, readers receive the request and send the response. */
  readonly #requestDirection: Direction;
  readonly #responseDirection: Direction;

  constructor(endpoint: Endpoint, builder: ShapeBuilder, prefix: string) {
    this.#endpoint = endpoint;
    this.#builder = builder;
    this.#prefix = prefix;
    const isFromApi = endpoint.kind === "webhook" || prefix !== "";
    this.#requestDirection = isFromApi ? "response" : "request";
    this.#responseDirection = isFromApi ? "request" : "response";
  }

  build(): EndpointView {
    const { parameters, body, responses } = this.#endpoint;
    const byPosition = new Map<Parameter["location"], readonly Field[]>();
    for (const location of parameterLocations) {
      const fields = parameters
        .filter((parameter) => parameter.location === location)
        .map((parameter) =>
          this.#builder.createParameterField(parameter, {
            direction: this.#requestDirection,
            anchor: this.#prefix + location,
          }),
        );
      if (fields.length > 0) byPosition.set(location, fields);
    }
    // Links without a status refer to the first successful response.
    const main = responses.find(({ status }) => status.startsWith("2")) ?? responses[0];
    return {
      endpoint: this.#endpoint,
      prefix: this.#prefix,
      parameters: byPosition,
      ...(body === undefined ? {} : { body: this.#createBody(body) }),
      responses: responses.map((response) => this.#createResponse(response, response === main)),
      callbacks: this.#createCallbacks(),
    };
  }

  #createBody({ description, isRequired, contents }: Body): NonNullable<EndpointView["body"]> {
    return {
      ...(description === undefined ? {} : { description }),
      isRequired,
      contents: contents.map((content) =>
        this.#createContent(content, `${this.#prefix}body`, this.#requestDirection),
      ),
    };
  }

  #createResponse(
    { status, description, headers, contents }: ApiResponse,
    isMain: boolean,
  ): ResponseView {
    const anchor = `${this.#prefix}response${isMain ? "" : `-${createFieldIdPart(status)}`}`;
    return {
      status,
      ...(description === undefined ? {} : { description }),
      headers: headers.map((header) =>
        this.#builder.createParameterField(header, {
          direction: this.#responseDirection,
          anchor: `${anchor}-header`,
        }),
      ),
      contents: contents.map((content) =>
        this.#createContent(content, anchor, this.#responseDirection),
      ),
    };
  }

  #createContent(
    { mediaType, schema }: Content,
    anchor: string,
    direction: Direction,
  ): ContentView {
    if (schema === undefined) return { mediaType };
    return { mediaType, shape: this.#builder.createShape(schema, { direction, anchor }) };
  }

  /** Returns the views of the callbacks: requests that the API itself makes. */
  #createCallbacks(): EndpointView[] {
    return this.#endpoint.callbacks.map((callback) => {
      const prefix = `callback-${createFieldIdPart(callback.title)}-`;
      return new EndpointViewBuilder(callback, this.#builder, prefix).build();
    });
  }
}

/** A channel as its page shows it. */
export interface ChannelView extends SchemaRemainder {
  readonly channel: AsyncChannel;
  readonly parameters: readonly Field[];
  readonly operations: readonly OperationView[];
}

export interface OperationView extends Omit<AsyncOperation, "messages"> {
  readonly messages: readonly MessageView[];
}

export interface MessageView extends Omit<AsyncMessage, "headers" | "payload"> {
  /** The message's id before it is made unique, and the prefix of its fields' ids. */
  readonly anchor: string;
  readonly headers?: Shape;
  readonly payload?: Shape;
}

export function createChannelView(channel: AsyncChannel, resolve: Resolve): ChannelView {
  const builder = new ShapeBuilder(resolve, channel);
  const view = {
    channel,
    parameters: channel.parameters.map((parameter) =>
      builder.createParameterField(parameter, { direction: "request", anchor: "parameter" }),
    ),
    operations: channel.operations.map((operation) => ({
      ...operation,
      messages: operation.messages.map((message) => createMessageView(message, operation, builder)),
    })),
  };
  builder.fill();
  return { ...view, parts: builder.parts, omissions: builder.omissions };
}

function createMessageView(
  { headers, payload, ...message }: AsyncMessage,
  { action }: AsyncOperation,
  builder: ShapeBuilder,
): MessageView {
  // The reader is a client, which receives what the application sends.
  const direction = action === "send" ? "response" : "request";
  const anchor = `${action}-${createFieldIdPart(message.name)}`;
  const createShape = (schema: NonNullable<typeof payload>, part: string) =>
    builder.createShape(schema, { direction, anchor: anchor + part });
  return {
    ...message,
    anchor,
    ...(headers === undefined ? {} : { headers: createShape(headers, "-header") }),
    ...(payload === undefined ? {} : { payload: createShape(payload, "") }),
  };
}
