import type { ModelRequest, Turn } from "./model-server.ts";

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
}

/**
 * A model, for the chat completions format, that does what its last instruction says, a call at a time:
 *
 * - `replace A with B in F; replace ...`: one edit for each
 * - `wait`: gives no answer
 * - `refuse`: the provider refuses
 * - anything else: claims to be done, without a call
 */
export function scriptedAgent({ body }: ModelRequest): Turn {
  const messages = (body["messages"] ?? []) as readonly ChatMessage[];
  const last = messages.findLastIndex(({ role }) => role === "user");
  const prompt = textOf(messages[last]?.content);
  if (prompt === "wait") return { fault: "mute" };
  if (prompt === "refuse") return { status: 401 };
  const done = messages.slice(last).filter(({ role }) => role === "tool").length;
  const edits = [...prompt.matchAll(/replace (\S+) with (\S+) in (\S+?)(?:;|$)/g)];
  const edit = edits[done];
  if (!edit) return { text: `Done: ${prompt}` };
  const [, old, replacement, path] = edit;
  const input = { path, replacements: [{ old, new: replacement }] };
  return { toolCalls: [{ name: "edit", input, id: `call_${messages.length}_${done}` }] };
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join("");
}
