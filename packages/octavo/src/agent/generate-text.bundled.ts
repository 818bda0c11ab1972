/** What is used of the package `ai`; the build takes that out of it. */
export { generateText, tool } from "ai";
