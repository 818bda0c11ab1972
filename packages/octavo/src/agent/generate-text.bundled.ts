/** The exports of the package `ai` that are used. The build bundles only these. */
export { generateText, jsonSchema, tool } from "ai";
