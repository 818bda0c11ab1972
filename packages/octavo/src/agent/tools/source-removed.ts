import { z } from "zod";
import { takeFittingItems } from "../text-part.ts";
import { shortenCommit } from "../sources/choose-source.ts";
import { findRemoved } from "../sources/removed/find-removed.ts";
import { productNameKinds } from "../sources/removed/find-definitions.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { defineTool } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

const maxNames = 2_000;

const Input = z.strictObject({
  names: z
    .array(z.strictObject({ kind: z.enum(productNameKinds), name: z.string().min(1).max(200) }))
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
      const shown = takeFittingItems(
        removed.map(({ commit, ...name }) => ({ ...name, commit: shortenCommit(commit) })),
        outputLength / 2,
      );
      return {
        sources: sources.map(({ name, commit }) => ({
          source: name,
          commit: commit === null ? null : shortenCommit(commit),
        })),
        removed: shown,
        total: removed.length,
        ownNames: takeFittingItems(ownNames, outputLength / 4),
        ...(unread.length > 0 && { unread: takeFittingItems(unread, outputLength / 8) }),
      };
    },
  });
}
