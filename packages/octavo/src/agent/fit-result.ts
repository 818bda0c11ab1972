import type { ContextBudget } from "./context-budget.ts";
import { bounds } from "./limits.ts";
import { fillOfResults, tokensOfResults } from "./request-fill.ts";
import type { ToolResult } from "./tools/tool.ts";
import { currentTurn } from "./transcript.ts";
import type { ToolEntry, TranscriptEntry } from "./transcript.ts";

export interface ResultPlace {
  /** Whether the tool changes files. */
  readonly isChanging: boolean;
  /** Up to the result. */
  readonly entries: readonly TranscriptEntry[];
  readonly budget: ContextBudget;
}

/**
 * The model must be able to see the results of one answer together. One that does not fit is not stored, so that
 * nothing counts as seen which was not: reading it again costs nothing. What was changed is stored, with its report.
 */
export function fitResult(
  given: ToolResult,
  { isChanging, entries, budget }: ResultPlace,
): ToolResult & Pick<ToolEntry, "isDeferred"> {
  const result = withinTurn(given, entries);
  const { resultTokens } = budget;
  const answer = entries.findLastIndex(({ type }) => type === "model");
  const earlier = entries.slice(answer + 1).filter((entry) => entry.type === "tool");
  const isChange = isChanging && result.status === "done";
  if (isChange || fillOfResults([...earlier, result], resultTokens) <= 1) return result;
  const isAlone = fillOfResults([result], resultTokens) > 1;
  const error = isAlone
    ? `The result has some ${tokensOfResults([result])} tokens; you can read ${resultTokens} at once. Ask for less of it.`
    : "The result does not fit beside the others of this answer, and was left out. Make this call again, in your next answer.";
  return { output: { error }, status: "refused", ...(!isAlone && { isDeferred: true }) };
}

/** Pictures are stored with the transcript; a turn that has looked at many is shown no more. */
function withinTurn(
  { picture, ...result }: ToolResult,
  entries: readonly TranscriptEntry[],
): ToolResult {
  if (!picture) return result;
  const lengths = currentTurn(entries).map((entry) =>
    entry.type === "tool" ? (entry.picture?.base64.length ?? 0) : 0,
  );
  const stored = lengths.reduce((sum, length) => sum + length, 0);
  if (stored + picture.base64.length <= bounds.picturesLength) return { ...result, picture };
  const note = "It is not shown: you have looked at as many pictures as you can in one turn.";
  return { ...result, output: { ...result.output, note } };
}
