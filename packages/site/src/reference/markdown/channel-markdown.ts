import type { ApiContext } from "../api-context.ts";
import type { ChannelView } from "../channel-view.ts";
import type { ExampleBlock } from "../examples.ts";
import { examplesMarkdown } from "./endpoint-markdown.ts";
import { fieldLines, inlineCode, oneLine, rootLines } from "./shape-markdown.ts";

export function channelMarkdown(
  { channel, parameters, operations }: ChannelView,
  examples: readonly ExampleBlock[],
  { words, hasDescription }: Pick<ApiContext, "words" | "hasDescription">,
): string {
  const servers = channel.servers.map(({ protocol, url }) => `${protocol} ${inlineCode(url)}`);
  const blocks = [
    inlineCode(channel.address),
    hasDescription ? "" : (channel.description?.trim() ?? ""),
    servers.length === 0 ? "" : `${words.servers}: ${servers.join(", ")}`,
    ...(parameters.length === 0
      ? []
      : [
          `## ${words.parameters}`,
          parameters.flatMap((field) => fieldLines(field, words)).join("\n"),
        ]),
    ...operations.flatMap(({ action, title, description, messages }) => [
      `## ${action === "send" ? words.send : words.receive}: ${oneLine(title)}`,
      description?.trim() ?? "",
      ...messages.flatMap((message) => [
        `### ${oneLine(message.title)}`,
        message.description?.trim() ?? "",
        inlineCode(message.contentType),
        ...(message.headers === undefined
          ? []
          : [`${words.headers}:`, ...rootLines(message.headers, words)]),
        ...(message.payload === undefined ? [] : rootLines(message.payload, words)),
      ]),
    ]),
    ...examplesMarkdown(examples),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}
