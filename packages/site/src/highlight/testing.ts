/** Exports for tests in other folders. Only tests may import this module. */
export { tokenClasses } from "./code-styles.ts";
export { createHighlighter } from "./highlighter.ts";
