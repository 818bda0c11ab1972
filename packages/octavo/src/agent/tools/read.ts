import { z } from "zod";
import { OctavoError, createInputError } from "@octavo/site/core";
import { stripLeading } from "../content.ts";
import { takeLines, takeNumberedLines } from "../text-part.ts";
import type { Workspace } from "../workspace.ts";
import type { PullRequestForm } from "../pull-request/description.ts";
import { findMissingHeadings } from "../pull-request/description.ts";
import { followsConvention, maxTitleLength, sanitizeTitle } from "../pull-request/title.ts";
import type { Guide } from "../guides/find-guides.ts";
import { Path, defineTool, findNamedFile, type AgentTool } from "./tool.ts";

const ReadInput = z.strictObject({
  path: Path,
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
  lines: z.int().min(1).max(5_000).default(1_000).describe("The maximum number of lines."),
  numbers: z.boolean().optional().describe("false: the exact text, without numbers."),
});

export function createReadTool(workspace: Workspace, outputLength: number): AgentTool {
  return defineTool({
    name: "read",
    description:
      "Reads a text file of the site. Each line begins with its number and |, which are not part of the file. Returns part of a long file; continue with `fromLine`, up to `totalLines`.",
    input: ReadInput,
    isChanging: false,
    async run({ path: named, fromLine, lines, numbers = true }) {
      const path = await findNamedFile(workspace, named);
      const text = await workspace.readText(path);
      const take = numbers ? takeNumberedLines : takeLines;
      return { path, ...take(path, text, { fromLine, lines, maxLength: outputLength }) };
    },
  });
}

const Title = z.string().min(1).max(500);

/** The fields of `ModelDescription`. */
const Description = z.strictObject({
  title: Title.describe(
    `What the change does for the reader of the pages, in the imperative. One line of at most ${maxTitleLength} characters, without a period.`,
  ),
  description: z
    .string()
    .min(1)
    .max(8_000)
    .describe("Markdown. Covers the whole pull request, including earlier messages."),
  commit: Title.optional().describe(
    "The subject of this message's commit, if it differs from the title.",
  ),
});

/** Creates the tool that writes the pull request's title and description in the form that the repository requires. */
export function createDescribeTool({ convention, template }: PullRequestForm): AgentTool {
  return defineTool({
    name: "describe",
    description:
      "Writes the title and the description of the pull request. A later call replaces an earlier one.",
    input: Description,
    isChanging: false,
    async run({ title, description, commit }) {
      for (const line of [title, ...(commit === undefined ? [] : [commit])]) {
        const words = sanitizeTitle(line);
        if (words === "")
          throw createInputError(`${JSON.stringify(line.slice(0, 100))} is not a valid title.`);
        if (words.length > maxTitleLength) {
          throw createInputError(
            `A title may have at most ${maxTitleLength} characters; this one has ${words.length}: ${words}`,
          );
        }
        if (!followsConvention(words, convention)) {
          throw createInputError(
            `This repository's titles begin with a type, e.g. "docs: explain how to rotate keys". ${JSON.stringify(words)} does not.`,
          );
        }
      }
      const missing = template ? findMissingHeadings(template, description) : [];
      if (missing.length > 0) {
        throw createInputError(
          `The description omits headings of the repository's template: ${missing.slice(0, 20).join("; ").slice(0, 1_000)}. Keep every heading, and write what is true of this change below it.`,
        );
      }
      return { title: sanitizeTitle(title), described: true };
    },
  });
}

const GuideInput = z.strictObject({
  path: z.string().min(1).max(1_000).describe("A path from the system prompt."),
  fromLine: z.int().min(1).max(10_000_000).default(1).describe("The first line to read."),
});

/**
 * Creates the tool for the guides that were read before the turn began. No path from the model reaches the file system.
 */
export function createGuideTool(guides: readonly Guide[], outputLength: number): AgentTool {
  return defineTool({
    name: "guide",
    description:
      "Reads one of the repository's guides that the system prompt names. Continue a long one with `fromLine`, up to `totalLines`.",
    input: GuideInput,
    isChanging: false,
    async run({ path: named, fromLine }) {
      const path = stripLeading(named);
      const guide = guides.find((known) => known.path === path);
      if (!guide) {
        const names = guides.map((known) => known.path).join(", ");
        throw new OctavoError(
          "not_found",
          `There is no guide ${JSON.stringify(path)}. Guides: ${names}.`,
        );
      }
      const part = takeLines(path, guide.text, { fromLine, lines: 2_000, maxLength: outputLength });
      return Promise.resolve({ path, ...part });
    },
  });
}
