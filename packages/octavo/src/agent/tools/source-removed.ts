import { z } from "zod";
import { fittingItems } from "../text-part.ts";
import { shortCommit } from "../sources/choose-source.ts";
import { findRemoved } from "../sources/removed/find-removed.ts";
import { nameKinds } from "../sources/removed/find-definitions.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const maxNames = 2_000;

const Input = z.strictObject({
  names: z
    .array(z.strictObject({ kind: z.enum(nameKinds), name: z.string().min(1).max(200) }))
    .max(maxNames)
    .describe("As pages name them: --max-depth, ENGINE_TOKEN, /v1/lamps/{id}, createLamp."),
});

export function createSourceRemovedTool(
  sources: readonly OpenedSource[],
  outputLength: number,
): AgentTool {
  return defineTool({
    name: "source_removed",
    description:
      "Finds the flags, settings, endpoints and exported names that a source defined at an earlier commit and that no source has now, with the location where one had them. A name that it does not return may still not exist.",
    input: Input,
    isChanging: false,
    async run({ names }, signal) {
      const { removed, ownNames, unread } = await findRemoved(sources, names, signal);
      const shown = fittingItems(
        removed.map(({ commit, ...name }) => ({ ...name, commit: shortCommit(commit) })),
        outputLength / 2,
      );
      return {
        sources: sources.map(({ name, commit }) => ({
          source: name,
          commit: commit === null ? null : shortCommit(commit),
        })),
        removed: shown,
        total: removed.length,
        ownNames: fittingItems(ownNames, outputLength / 4),
        ...(unread.length > 0 && { unread: fittingItems(unread, outputLength / 8) }),
      };
    },
  });
}
