import { fillOfConversation, summaryLengthFor } from "./context-budget.ts";
import type { ContextBudget } from "./context-budget.ts";
import { conversationOf } from "./conversation.ts";
import { bounds } from "./limits.ts";
import { estimateTokens } from "./token-estimate.ts";
import { lastCompaction, now } from "./transcript.ts";
import type { CompactionEntry, TranscriptEntry } from "./transcript.ts";

/** A compaction leaves this share of the room used, so that many steps follow before the next one. */
const usedAfterwards = 0.4;
/** A provider that finds a conversation too long counts more tokens than we do. */
const refusedShare = 0.7;

/**
 * Where the conversation has outgrown the model's context: what to summarise of it. Undefined where it fits, and
 * where nothing is left to summarise: what the model has not seen stays whole.
 */
export function planCompaction(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  const room = roomFor(entries, conversationTokens);
  const conversation = conversationOf(entries);
  if (fillOfConversation(conversation, room) <= 1) return undefined;
  return compact(entries, { cause: "size", tokens: estimateTokens(conversation), room });
}

/** After the provider refused a conversation as too long. Undefined where summarising does not help any more. */
export function compactRefused(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  const tokens = estimateTokens(conversationOf(entries));
  const room = Math.floor(Math.min(roomFor(entries, conversationTokens), tokens * refusedShare));
  const answered = entries.findLastIndex(({ type }) => type === "model");
  const refusals = entries.slice(answered + 1).filter(isRefused).length;
  if (refusals >= bounds.refusedConversations) return undefined;
  return compact(entries, { cause: "refused", tokens, room });
}

function isRefused(entry: TranscriptEntry): entry is CompactionEntry {
  return entry.type === "compaction" && entry.cause === "refused";
}

/** What the conversation may take; less than planned once a provider has refused one. */
function roomFor(entries: readonly TranscriptEntry[], planned: number): number {
  const refused = entries.filter(isRefused).map(({ tokens }) => tokens * refusedShare);
  return Math.floor(Math.min(planned, ...refused));
}

interface Need {
  readonly cause: CompactionEntry["cause"];
  readonly tokens: number;
  readonly room: number;
}

/** The fewest entries whose summary makes enough room, else as many as there are. */
function compact(
  entries: readonly TranscriptEntry[],
  { cause, tokens, room }: Need,
): CompactionEntry | undefined {
  const places = placesToCut(entries);
  const fillWith = (entry: CompactionEntry) =>
    fillOfConversation(conversationOf([...entries, entry]), room);
  const entryAt = (place: number): CompactionEntry => ({
    type: "compaction",
    at: now(),
    before: places[place] ?? 0,
    summaryLength: summaryLengthFor(room),
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

/** Between an answer's results and the next answer, and before what the model has not seen. */
function placesToCut(entries: readonly TranscriptEntry[]): readonly number[] {
  const last = lastCompaction(entries);
  const unseen = entries.findLastIndex(({ type }) => type === "model");
  const indexes = entries.keys().filter((index) => {
    const isStart = entries[index]?.type === "model";
    return isStart && index > (last?.before ?? 0) && index <= unseen;
  });
  return [...indexes];
}
