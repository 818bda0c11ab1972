/** Exports of this room for the tests of other rooms. Only tests may import this file. */
export { skipRepeatedCalls } from "./plan.ts";
export type { ToolAnswer, ToolCall } from "./plan.ts";
export { runInstruction } from "./run-forms.ts";
export { createLinkedText } from "./text/link-locations.ts";
