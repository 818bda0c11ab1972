import type { OpenedSource } from "../sources/turn-source.ts";
import { createSourceDiffTool } from "./source-diff.ts";
import { createSourceListTool } from "./source-list.ts";
import { createSourceLogTool } from "./source-log.ts";
import { createSourceReadTool } from "./source-read.ts";
import { createSourceRemovedTool } from "./source-removed.ts";
import { createSourceSearchTool } from "./source-search.ts";
import type { AgentTool } from "./tool.ts";

/** The model's read-only tools for the project's sources; empty if no source can be read. */
export function createSourceTools(
  sources: readonly OpenedSource[],
  outputLength: number,
): readonly AgentTool[] {
  if (sources.every(({ commit }) => commit === null)) return [];
  return [
    createSourceListTool(sources, outputLength),
    createSourceSearchTool(sources, outputLength),
    createSourceReadTool(sources, outputLength),
    createSourceLogTool(sources, outputLength),
    createSourceDiffTool(sources, outputLength),
    createSourceRemovedTool(sources, outputLength),
  ];
}

const readers: ReadonlySet<string> = new Set([
  "source_search",
  "source_read",
  "source_diff",
  "source_removed",
]);

/** Reports whether the tool's results can contain facts for a page. */
export function isSourceTool(tool: string): boolean {
  return readers.has(tool);
}
