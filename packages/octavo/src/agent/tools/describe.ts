import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { PullRequestForm } from "../pull-request/description.ts";
import { findMissingHeadings } from "../pull-request/template.ts";
import { followsConvention, sanitizeTitle, maxTitleLength } from "../pull-request/title.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const Title = z.string().min(1).max(500);

/** The fields of `ModelDescription`. */
const Description = z.strictObject({
  title: Title.describe(
    `What the change does for the reader of the pages, in the imperative: one line of at most ${maxTitleLength} characters, without a full stop.`,
  ),
  description: z
    .string()
    .min(1)
    .max(8_000)
    .describe("Markdown. Covers the whole pull request, including earlier messages."),
  commit: Title.optional().describe(
    "The subject of this message's commit, if it is not the title.",
  ),
});

/** Creates the tool that writes the pull request's title and description, in the form that the repository asks for. */
export function createDescribeTool({ convention, template }: PullRequestForm): AgentTool {
  return defineTool({
    name: "describe",
    description:
      "Writes the title and the description of the pull request, for the person who reviews it. Call it once, when the work is done; a later call replaces an earlier one.",
    input: Description,
    isChanging: false,
    async run({ title, description, commit }) {
      for (const line of [title, ...(commit === undefined ? [] : [commit])]) {
        const words = sanitizeTitle(line);
        if (words === "") throw invalid(`${JSON.stringify(line.slice(0, 100))} is no title.`);
        if (words.length > maxTitleLength) {
          throw invalid(
            `A title has at most ${maxTitleLength} characters, this one ${words.length}: ${words}`,
          );
        }
        if (!followsConvention(words, convention)) {
          throw invalid(
            `This repository's titles name a type first, e.g. "docs: explain how to rotate keys". ${JSON.stringify(words)} does not.`,
          );
        }
      }
      const missing = template ? findMissingHeadings(template, description) : [];
      if (missing.length > 0) {
        throw invalid(
          `The description leaves out headings of the repository's template: ${missing.slice(0, 20).join("; ").slice(0, 1_000)}. Keep every heading, and write what is true of this change below it.`,
        );
      }
      return { title: sanitizeTitle(title), described: true };
    },
  });
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
