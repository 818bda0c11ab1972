import { z } from "zod";
import {
  CommitName,
  chooseSource,
  resolveCommit,
  shortenCommit,
  SourceName,
  SourcePath,
} from "../sources/choose-source.ts";
import { takeFittingItems } from "../text-part.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool, ToolOutput } from "./tool.ts";
import type { SourceCommit } from "../../git/index.ts";
import { truncate } from "../inert-text.ts";

const Input = z.strictObject({
  source: SourceName,
  from: CommitName.describe("A tag, branch or commit, e.g. v2.1. Only commits since then."),
  to: CommitName,
  path: SourcePath.optional().describe("Only commits that change this file or folder."),
  limit: z.int().min(1).max(500).default(50).describe("The most commits to return."),
});

const subjectLength = 200;
const bodyLength = 600;
const mailAddress = /[^\s@<>()]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;
/** Lines that name people: `Co-authored-by: Ada <ada@example.com>`. */
const people = /^[\w-]{1,40}-by:.*$/gim;

export function createSourceLogTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_log",
    description:
      "Lists a source's commits, newest first, with their tags; `from` leaves out what is in an earlier one. `newestTags` names releases.",
    input: Input,
    isChanging: false,
    async run({ source, from, to, path, limit }, signal) {
      const chosen = chooseSource(sources, source);
      const { reader } = chosen;
      const end = await resolveCommit(chosen, to);
      const start = from === undefined ? undefined : await resolveCommit(chosen, from);
      // One extra commit shows whether there are more.
      const query = { from: start, to: end, path, limit: limit + 1 };
      const found = (await reader.log(query, signal)).map(formatSourceCommit);
      const commits = takeFittingItems(found.slice(0, limit), outputLength);
      return {
        source: chosen.name,
        ...(start !== undefined && { from: shortenCommit(start) }),
        to: shortenCommit(end),
        commits,
        isWhole: commits.length === found.length,
        newestTags: (await reader.tags(signal)).map(stripControlCharacters),
      };
    },
  });
}

/** A commit as shown to the model: without names and addresses of people, and without characters that hide others. */
function formatSourceCommit({ commit, date, subject, body, tags }: SourceCommit): ToolOutput {
  const message = truncate(stripControlCharacters(body.replaceAll(people, "")), bodyLength);
  return {
    commit: shortenCommit(commit),
    date,
    subject: truncate(stripControlCharacters(subject), subjectLength),
    ...(message !== "" && { message }),
    ...(tags.length > 0 && { tags: tags.map(stripControlCharacters) }),
  };
}

function stripControlCharacters(text: string): string {
  return text
    .replaceAll(/[^\P{C}\n]|[^\S\n]/gu, " ")
    .replaceAll(/ +/g, " ")
    .replaceAll(mailAddress, "…")
    .trim();
}
