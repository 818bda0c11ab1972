/** Exports for tests of other rooms. Only tests may import it. */
export { tokenClasses } from "./code-styles.ts";
export { createHighlighter } from "./highlighter.ts";
