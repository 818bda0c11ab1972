/** Exports for tests of other rooms. Only tests may import it. */
export { tokenClasses } from "./token-classes.ts";
export { createHighlighter } from "./highlighter.ts";
