/** The exports of the package `ai` that are used; the build bundles only these. */
export { generateText, tool } from "ai";
