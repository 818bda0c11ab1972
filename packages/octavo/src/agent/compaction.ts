import { measureConversation, computeSummaryLength } from "./context-budget.ts";
import type { ContextBudget } from "./context-budget.ts";
import { buildConversation } from "./conversation.ts";
import { fixedLimits } from "./limits.ts";
import { estimateTokens } from "./token-estimate.ts";
import { findLastCompaction, getTimestamp } from "./transcript.ts";
import type { CompactionEntry, TranscriptEntry } from "./transcript.ts";

/**
 * The share of the conversation's limit that is used after a compaction. It leaves room for many steps before the next
 * compaction.
 */
const usedAfterwards = 0.4;
/**
 * Applied to the estimate after a provider has rejected a conversation, because the provider counts more tokens than we
 * do.
 */
const refusedShare = 0.7;

/**
 * Plans a compaction if the conversation has outgrown the model's context. Undefined if the conversation fits, or if
 * nothing is left to summarize, because entries that the model has not seen remain complete.
 */
export function planCompaction(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  if (conversationTokens === Infinity) return undefined;
  const room = roomFor(entries, conversationTokens);
  const conversation = buildConversation(entries);
  if (measureConversation(conversation, room) <= 1) return undefined;
  return compact(entries, { cause: "size", tokens: estimateTokens(conversation), room });
}

/**
 * Plans a compaction after the provider has rejected a conversation as too long. Undefined if summarizing no longer
 * helps.
 */
export function compactOversizedConversation(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  const tokens = estimateTokens(buildConversation(entries));
  const room = Math.floor(Math.min(roomFor(entries, conversationTokens), tokens * refusedShare));
  const answered = entries.findLastIndex(({ type }) => type === "model");
  const refusals = entries.slice(answered + 1).filter(isRefused).length;
  if (refusals >= fixedLimits.maxRejectedConversations) return undefined;
  return compact(entries, { cause: "refused", tokens, room });
}

function isRefused(entry: TranscriptEntry): entry is CompactionEntry {
  return entry.type === "compaction" && entry.cause === "refused";
}

/**
 * Returns the number of tokens that the conversation may take. After a provider has rejected a conversation, this is
 * less than planned.
 */
function roomFor(entries: readonly TranscriptEntry[], planned: number): number {
  const refused = entries.filter(isRefused).map(({ tokens }) => tokens * refusedShare);
  return Math.floor(Math.min(planned, ...refused));
}

interface Need {
  readonly cause: CompactionEntry["cause"];
  readonly tokens: number;
  readonly room: number;
}

/** Summarizes as few entries as necessary to make enough room, or all of them. */
function compact(
  entries: readonly TranscriptEntry[],
  { cause, tokens, room }: Need,
): CompactionEntry | undefined {
  const places = listCutPoints(entries);
  const fillWith = (entry: CompactionEntry) =>
    measureConversation(buildConversation([...entries, entry]), room);
  const entryAt = (place: number): CompactionEntry => ({
    type: "compaction",
    at: getTimestamp(),
    before: places[place] ?? 0,
    summaryLength: computeSummaryLength(room),
    cause,
    tokens,
  });
  let [low, high] = [0, places.length - 1];
  if (high < 0) return undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fillWith(entryAt(middle)) <= usedAfterwards) high = middle;
    else low = middle + 1;
  }
  const chosen = entryAt(low);
  if (fillWith(chosen) <= 1) return chosen;
  return { ...chosen, shortensCalls: true };
}

/**
 * Returns the positions between an answer's results and the next answer, before the entries that the model has not
 * seen.
 */
function listCutPoints(entries: readonly TranscriptEntry[]): readonly number[] {
  const last = findLastCompaction(entries);
  const unseen = entries.findLastIndex(({ type }) => type === "model");
  const indexes = entries.keys().filter((index) => {
    const isStart = entries[index]?.type === "model";
    return isStart && index > (last?.before ?? 0) && index <= unseen;
  });
  return [...indexes];
}
