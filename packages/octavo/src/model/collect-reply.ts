import { InvalidResponseDataError } from "@ai-sdk/provider";
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { readStreamedUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Called with each token count that the stream reports; a later count replaces the earlier one. */
type UsageListener = (usage: Partial<TokenUsage>) => void;

/**
 * Reads a streamed reply to its end: texts, reasoning and tool calls in the order in which they began. Throws the
 * stream's error if there is one, and InvalidResponseDataError if the stream ends before the reply is complete. Other
 * parts that a provider sends (sources, files, its own notes) are ignored.
 */
export async function collectReply(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  onUsage: UsageListener,
): Promise<LanguageModelV4GenerateResult> {
  const reply = new CollectedReply();
  for await (const part of stream) {
    if (part.type === "raw") {
      const usage = readStreamedUsage(part.rawValue);
      if (usage) onUsage(usage);
    } else {
      reply.add(part);
    }
  }
  return reply.finish();
}

/** Throws if the provider itself reports that the reply is unfinished or failed. */
export function requireCompleteReply({ unified }: LanguageModelV4FinishReason): void {
  if (unified === "interrupted" || unified === "error") throw incomplete();
}

interface OpenBlock {
  readonly content: Extract<LanguageModelV4Content, { type: "text" | "reasoning" }>;
  readonly pieces: string[];
}
type BlockPart = Extract<
  LanguageModelV4StreamPart,
  {
    type: `text-${"start" | "delta" | "end"}` | `reasoning-${"start" | "delta" | "end"}`;
  }
>;
type Ending = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

class CollectedReply {
  readonly #content: LanguageModelV4Content[] = [];
  readonly #blocks: OpenBlock[] = [];
  /** Open blocks by type and the provider's ID, which is unique among the open ones only. */
  readonly #open = new Map<string, OpenBlock>();
  #warnings: LanguageModelV4GenerateResult["warnings"] = [];
  #response: LanguageModelV4GenerateResult["response"];
  #ending: Ending | undefined;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "stream-start":
        this.#warnings = part.warnings;
        return;
      case "response-metadata": {
        const { type: _, ...metadata } = part;
        this.#response = metadata;
        return;
      }
      case "tool-call":
        this.#content.push(part);
        return;
      case "finish":
        this.#ending = part;
        return;
      case "error":
        throw part.error;
      case "text-start":
      case "text-delta":
      case "text-end":
      case "reasoning-start":
      case "reasoning-delta":
      case "reasoning-end":
        this.#addToBlock(part);
        return;
      default:
    }
  }

  finish(): LanguageModelV4GenerateResult {
    if (!this.#ending) throw incomplete();
    const { finishReason, usage, providerMetadata } = this.#ending;
    requireCompleteReply(finishReason);
    for (const { content, pieces } of this.#blocks) content.text = pieces.join("");
    return {
      content: this.#content,
      finishReason,
      usage,
      warnings: this.#warnings,
      ...(providerMetadata && { providerMetadata }),
      ...(this.#response && { response: this.#response }),
    };
  }

  #addToBlock(part: BlockPart): void {
    const type = part.type.startsWith("text") ? "text" : "reasoning";
    const id = `${type} ${part.id}`;
    const block = this.#open.get(id) ?? this.#openBlock(type, id);
    if ("delta" in part) block.pieces.push(part.delta);
    // Signatures come late: the metadata of a later part applies to the whole block.
    if (part.providerMetadata) block.content.providerMetadata = part.providerMetadata;
    if (part.type.endsWith("-end")) this.#open.delete(id);
  }

  #openBlock(type: "text" | "reasoning", id: string): OpenBlock {
    const block: OpenBlock = { content: { type, text: "" }, pieces: [] };
    this.#content.push(block.content);
    this.#blocks.push(block);
    this.#open.set(id, block);
    return block;
  }
}

function incomplete(): InvalidResponseDataError {
  return new InvalidResponseDataError({
    data: undefined,
    message: "The reply ended before it was complete.",
  });
}
