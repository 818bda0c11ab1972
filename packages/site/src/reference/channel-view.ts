import type { AsyncChannel, AsyncMessage, AsyncOperation } from "../openapi/index.ts";
import { ShapeBuilder } from "./schema/shape-builder.ts";
import { createFieldIdPart, type Field, type Shape } from "./schema/shape.ts";
import type { SchemaRemainder } from "./endpoint-view.ts";
import type { Resolve } from "./schema/resolve-schema.ts";

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
      builder.parameter(parameter, { direction: "request", anchor: "parameter" }),
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
  const shape = (schema: NonNullable<typeof payload>, part: string) =>
    builder.shape(schema, { direction, anchor: anchor + part });
  return {
    ...message,
    anchor,
    ...(headers === undefined ? {} : { headers: shape(headers, "-header") }),
    ...(payload === undefined ? {} : { payload: shape(payload, "") }),
  };
}
