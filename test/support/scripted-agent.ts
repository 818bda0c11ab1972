import type { ModelRequest, Turn } from "./model-server.ts";

/**
 * A model that does what its last instruction says, a call at a time:
 *
 * - `replace A with B in F; replace ...`: one edit for each
 * - `answer N with W; answer ...`: reads the comments on lines, then answers each
 * - `wait`: gives no answer
 * - `begin`: gives the beginning of one
 * - `refuse`: the provider refuses
 * - anything else: claims to be done, without a call
 */
export function scriptedAgent({ conversation }: ModelRequest): Turn {
  const { messages } = conversation;
  const last = messages.findLastIndex(({ from }) => from === "user");
  const message = messages[last];
  const prompt = message?.from === "user" ? message.text : "";
  if (prompt === "wait") return { fault: "mute" };
  if (prompt === "begin") return { fault: "silent" };
  if (prompt === "refuse") return { status: 401 };
  const done = messages.slice(last).filter(({ from }) => from === "tool").length;
  const edits = [...prompt.matchAll(/replace (\S+) with (\S+) in (\S+?)(?:;|$)/g)];
  const edit = edits[done];
  const answers = [...prompt.matchAll(/answer (\d+) with (\S+?)(?:;|$)/g)];
  const answer = answers[done - edits.length - 1];
  if (!edit && answers.length > 0 && done === edits.length)
    return { toolCalls: [{ name: "comments", input: {}, id: `call_${messages.length}_${done}` }] };
  if (!edit && answer) {
    const input = { id: Number(answer[1]), answer: answer[2] };
    return {
      toolCalls: [{ name: "answer_comment", input, id: `call_${messages.length}_${done}` }],
    };
  }
  if (!edit) return { text: `Done: ${prompt}` };
  const [, old, replacement, path] = edit;
  const input = { path, replacements: [{ old, new: replacement }] };
  return { toolCalls: [{ name: "edit", input, id: `call_${messages.length}_${done}` }] };
}
