/** The content of a request to a model, independent of the provider's format. */
export interface WireConversation {
  readonly system: string;
  readonly messages: readonly ConversationMessage[];
  /** Names of the tools that it may call. */
  readonly tools: readonly string[];
}

export type ConversationMessage =
  | { readonly from: "user" | "model"; readonly text: string }
  /** A call that the model made before. */
  | { readonly from: "call"; readonly name: string; readonly input: unknown }
  /** A tool's answer: the value of its JSON. */
  | { readonly from: "tool"; readonly output: unknown };

/** A request that the provider refuses as malformed. */
export class MalformedRequestError extends Error {}

type Fields = Readonly<Record<string, unknown>>;

/** Throws `MalformedRequestError` for what is no object, as providers refuse it. */
export function fieldsOf(value: unknown, what: string): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new MalformedRequestError(`${what}: Input should be a valid dictionary`);
}

export function objectsIn(value: unknown, what: string): readonly Fields[] {
  if (Array.isArray(value)) return value.map((entry) => fieldsOf(entry, what));
  throw new MalformedRequestError(`${what}: Input should be a valid list`);
}

/** Content is a text, or parts of which some hold text. */
export function messageText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("");
}

/** JSON as a text: arguments of a call, which must be an object, or a tool's output. */
export function parsed(text: unknown, what: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    throw new MalformedRequestError(`${what}: Invalid JSON`);
  }
}
