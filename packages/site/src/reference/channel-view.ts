import type { AsyncChannel, AsyncMessage, AsyncOperation } from "../openapi/index.ts";
import { createFieldIdPart, ShapeBuilder, type Field, type Shape } from "./schema/shape.ts";
import type { Omissions } from "./schema/shape.ts";
import type { Resolve } from "./schema/resolve-schema.ts";

/** A channel as its page shows it. */
export interface ChannelView {
  readonly channel: AsyncChannel;
  readonly parameters: readonly Field[];
  readonly operations: readonly OperationView[];
  /** The parts of the channel's schemas that the page does not show. */
  readonly omissions: Omissions;
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
  const builder = new ShapeBuilder(resolve, channel.schemaBytes);
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
  return { ...view, omissions: builder.omissions };
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
