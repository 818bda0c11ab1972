import type { FixedSource } from "../sources/turn-source.ts";
import { currentTurn } from "../transcript.ts";
import type { NoteEntry, TranscriptEntry } from "../transcript.ts";
import type { Citation } from "./citation.ts";

/** What pull requests say of sources. */
export interface CitedSources {
  /** Looked up, each once, in the order in which turns cited them. */
  readonly citations: readonly Citation[];
  /** Those of the current turn that could not be read. */
  readonly unread: readonly FixedSource[];
}

/**
 * What the turns of a branch have cited, from the entry with which its first one began. Of earlier turns only what they
 * committed counts.
 */
export function recordedCitations(entries: readonly TranscriptEntry[]): CitedSources {
  const current = currentTurn(entries);
  const earlier = turnsOf(entries.slice(0, entries.length - current.length)).filter(wasCommitted);
  const cited = new Map<string, Citation>();
  for (const turn of [...earlier, current]) {
    // A change that went back to the model was checked more than once; the last answer holds.
    const check = turn.findLast((entry): entry is NoteEntry => entry.type === "check");
    for (const citation of check?.citations ?? []) {
      cited.set(JSON.stringify(citation), citation);
    }
  }
  const sources = sourcesOf(current);
  return { citations: [...cited.values()], unread: sources.filter(({ error }) => error !== null) };
}

function sourcesOf(turn: readonly TranscriptEntry[]): readonly FixedSource[] {
  return turn.flatMap((entry) => (entry.type === "sources" ? entry.sources : []));
}

function turnsOf(entries: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns: TranscriptEntry[][] = [];
  for (const entry of entries) {
    if (entry.type === "message" && entry.from === "person") turns.push([]);
    turns.at(-1)?.push(entry);
  }
  return turns;
}

/** A turn that failed is told to the model without a reason that it could mend. */
function wasCommitted(turn: readonly TranscriptEntry[]): boolean {
  const isFailed = turn.some(
    (entry) => entry.type === "message" && entry.from === "service" && entry.reason === undefined,
  );
  return !isFailed && turn.some(({ type }) => type === "commit");
}
