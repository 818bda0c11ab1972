import type { ModelMessage } from "ai";
import { pictureMessages } from "./pictures/picture-message.ts";
import { estimateTokens } from "./token-estimate.ts";
import type { ToolEntry } from "./transcript.ts";

/** Of more than 20 in one request, Anthropic refuses any that has a side of more than 2,000 pixels. */
const maxPictures = 20;
/** In base64. Google takes requests of 20 MB, Anthropic of 32 MB. */
const maxPicturesLength = 15_000_000;

/** What a request holds of a conversation. */
interface RequestSize {
  readonly tokens: number;
  /** Lengths in base64. */
  readonly pictures: readonly number[];
}

/** How full a conversation makes a request in which it may take `maxTokens`: what is more than 1 does not fit. */
export function fillOfConversation(messages: readonly ModelMessage[], maxTokens: number): number {
  const pictures = messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => pictureLength(part)),
  );
  return fillOf({ tokens: estimateTokens(messages), pictures }, maxTokens);
}

/** The same of results of tools, with the pictures that the model is shown beside them. */
export function fillOfResults(
  results: readonly Pick<ToolEntry, "output" | "picture">[],
  maxTokens: number,
): number {
  const pictures = results.flatMap(({ picture }) => picture?.base64.length ?? []);
  return fillOf({ tokens: tokensOfResults(results), pictures }, maxTokens);
}

export function tokensOfResults(results: readonly Pick<ToolEntry, "output" | "picture">[]): number {
  return estimateTokens([results.map(({ output }) => output), pictureMessages(results)]);
}

function fillOf({ tokens, pictures }: RequestSize, maxTokens: number): number {
  const length = pictures.reduce((sum, one) => sum + one, 0);
  return Math.max(tokens / maxTokens, pictures.length / maxPictures, length / maxPicturesLength);
}

function pictureLength(part: object): number[] {
  const isPicture = "type" in part && part.type === "file" && "data" in part;
  return isPicture && typeof part.data === "string" ? [part.data.length] : [];
}
