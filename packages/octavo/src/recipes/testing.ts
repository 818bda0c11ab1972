/** Exports of this room for the tests of other rooms. Only tests may import this file. */
export { runInstruction } from "./run-forms.ts";
export { createLinkedText } from "./text/links.ts";
