import { InvalidResponseDataError } from "@ai-sdk/provider";
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { readStreamedUsage } from "./token-usage.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Called with each count of tokens that the stream tells; a later one replaces the earlier. */
type UsageListener = (usage: Partial<TokenUsage>) => void;

/**
 * Reads a streamed reply to its end: texts, reasoning and tool calls in the order in which they began. Throws what
 * the stream ends with where that is an error, and InvalidResponseDataError where it ends without being whole. Anything
 * else that a provider sends (sources, files, notes of its own) is no part of a reply here.
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

/** A reply that the provider itself calls unfinished or failed is none. */
export function requireWhole({ unified }: LanguageModelV4FinishReason): void {
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
  /** By type and the provider's id, which is unique among the open ones only. */
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
    requireWhole(finishReason);
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
    // Signatures come late: what a later part says of the whole block stands.
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
    message: "The reply ended before it was whole.",
  });
}
