import type {
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { AgentModel } from "../../../packages/octavo/src/agent/index.ts";
import type { Spent } from "../evaluation.ts";

/** The files of an exported site that agents read. */
export interface ReadableBundle {
  /** Returns undefined if there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

export interface AnsweredQuestion extends Spent {
  readonly text: string;
  /** The files that the model read. */
  readonly read: readonly string[];
}

const maxSteps = 25;
const maxLength = 48_000;

const instructions = `You answer questions about a product from its documentation, and from nothing else. Read files with the tool: llms.txt lists the pages, each of which is a Markdown file. Long files come in parts: pass nextOffset as the offset to read on. Answer in one or two sentences with the exact names and numbers of the documentation. The last line of your answer is "Page: " and the path of the file that says so. If the documentation does not answer the question, say so in a sentence, and the last line is "Page: none".`;

const readTool: LanguageModelV4FunctionTool = {
  type: "function",
  name: "read",
  description: "Reads a file of the documentation, such as llms.txt or guides/start.md.",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string" },
      offset: { type: "integer", minimum: 0, description: "The character to begin at." },
    },
    required: ["path"],
    additionalProperties: false,
  },
};

/** Lets a model answer a question about an exported site, with its llms.txt and Markdown pages alone. */
export async function answerQuestion(
  { model, limits }: AgentModel,
  question: string,
  bundle: ReadableBundle,
): Promise<AnsweredQuestion> {
  const startedAt = performance.now();
  const prompt: LanguageModelV4Message[] = [
    { role: "system", content: instructions },
    { role: "user", content: [{ type: "text", text: question }] },
  ];
  const read = new Set<string>();
  const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0 };
  for (let step = 0; ; step += 1) {
    const result = await model.doGenerate({
      prompt,
      // The last reply is an answer.
      tools: step < maxSteps ? [readTool] : [],
      maxOutputTokens: limits.maxOutputTokens,
    });
    usage.inputTokens += result.usage.inputTokens.total ?? 0;
    usage.outputTokens += result.usage.outputTokens.total ?? 0;
    usage.cachedInputTokens += result.usage.inputTokens.cacheRead ?? 0;
    const { content } = result;
    const calls = content.filter((part) => part.type === "tool-call");
    if (calls.length === 0 || step >= maxSteps) {
      const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return { text, read: [...read], ...usage, seconds: (performance.now() - startedAt) / 1_000 };
    }
    const results: LanguageModelV4ToolResultPart[] = [];
    for (const { toolCallId, toolName, input } of calls) {
      const value = await readPart(bundle, input, read);
      results.push({
        type: "tool-result",
        toolCallId,
        toolName,
        output: { type: "json", value },
      });
    }
    prompt.push(
      { role: "assistant", content: content.flatMap(repeatPart) },
      { role: "tool", content: results },
    );
  }
}

async function readPart(
  bundle: ReadableBundle,
  input: string,
  read: Set<string>,
): Promise<Readonly<Record<string, string | number>>> {
  const { path, offset } = parseInput(input);
  const file = path.replace(/^\/+/, "");
  const text = await bundle.readText(file);
  if (text === undefined) {
    return { error: `There is no file ${file}. llms.txt lists the pages.` };
  }
  read.add(file);
  const end = offset + maxLength;
  const part = text.slice(offset, end);
  return end < text.length ? { text: part, nextOffset: end, length: text.length } : { text: part };
}

function parseInput(input: string): { readonly path: string; readonly offset: number } {
  const { path = "", offset = 0 } = { ...parseJson(input) } as { path?: unknown; offset?: unknown };
  return { path: String(path), offset: Math.max(0, Math.floor(Number(offset)) || 0) };
}

/** Parses a model's input of a tool; an empty object if it is not an object in JSON. */
function parseJson(input: string): object {
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns a part of a reply in the form in which later requests repeat it. */
function repeatPart(
  part: LanguageModelV4Content,
): Extract<LanguageModelV4Message, { role: "assistant" }>["content"] {
  const options = "providerMetadata" in part && part.providerMetadata;
  const more = options ? { providerOptions: options } : {};
  if (part.type === "text") return [{ type: "text", text: part.text, ...more }];
  if (part.type === "reasoning") return [{ type: "reasoning", text: part.text, ...more }];
  if (part.type === "tool-call") {
    const { toolCallId, toolName, input } = part;
    return [{ type: "tool-call", toolCallId, toolName, input: parseJson(input), ...more }];
  }
  return [];
}
