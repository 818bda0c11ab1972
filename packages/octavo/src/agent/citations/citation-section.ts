import {
  formatBoundedList,
  formatInertCode,
  formatInertLink,
  sanitizeWords,
  truncate,
} from "../inert-text.ts";
import { findLinesUrl } from "../../core/index.ts";
import type { FixedSource } from "../sources/turn-source.ts";
import { formatCitation } from "./citation.ts";
import type { Citation } from "./citation.ts";
import { hasWords } from "./uncited-facts.ts";
import { getCurrentTurn } from "../transcript.ts";
import type { NoteEntry, TranscriptEntry } from "../transcript.ts";

const listed = 60;
const citedLength = 7_000;
const uncitedLength = 3_000;
const unreadLength = 2_500;
const maxWords = 200;

/** The sources that a pull request cites. */
export interface CitedSources {
  /** Verified citations without duplicates, in the order in which the turns cited them. */
  readonly citations: readonly Citation[];
  /** Facts on changed pages that stand in lines of sources that the turns read and did not cite. */
  readonly uncited: readonly Citation[];
  /** Sources of the current turn that could not be read. */
  readonly unread: readonly FixedSource[];
}

/**
 * Formats the sources section of a pull request. It contains each cited location with the quoted words as code, and the
 * sources that could not be read. Undefined if there is nothing to report.
 */
export function formatCitationSection({
  citations,
  uncited,
  unread,
}: CitedSources): string | undefined {
  const parts: string[] = [];
  if (citations.length > 0) {
    const lines = citations.slice(0, listed).map(citationLine);
    const list = formatBoundedList(lines, {
      maxLength: citedLength,
      total: citations.length,
      rest: "more",
    });
    parts.push(`Each location was checked at its commit and contains the quoted words:\n\n${list}`);
  }
  if (uncited.length > 0) {
    const lines = uncited.slice(0, listed).map(citationLine);
    const list = formatBoundedList(lines, {
      maxLength: uncitedLength,
      total: uncited.length,
      rest: "more",
    });
    parts.push(
      `New on pages and not cited, although the model read them in these lines. Compare the pages with them:\n\n${list}`,
    );
  }
  if (unread.length > 0) {
    const lines = unread.map(
      ({ name, error }) =>
        `${formatInertCode(name, 100)}: ${truncate(sanitizeWords(error ?? ""), 200)}`,
    );
    const list = formatBoundedList(lines, {
      maxLength: unreadLength,
      total: unread.length,
      rest: "more",
    });
    parts.push(`Not read:\n\n${list}`);
  }
  return parts.length === 0
    ? undefined
    : `### What was taken from sources\n\n${parts.join("\n\n")}`;
}

function citationLine(citation: Citation): string {
  const { repository, commit, path, line, endLine } = citation;
  const place = formatCitation(citation);
  const address = findLinesUrl({ repository, commit, path, line, endLine });
  const shown =
    address === undefined ? formatInertCode(place, 300) : formatInertLink(place, address, 300);
  return `${shown} ${formatInertCode(citation.words, maxWords)}`;
}

/**
 * Collects the citations of a branch's turns, starting with the entry of its first turn. Omits earlier turns that did
 * not commit their changes.
 */
export function collectCitations(entries: readonly TranscriptEntry[]): CitedSources {
  const current = getCurrentTurn(entries);
  const earlier = splitTurns(entries.slice(0, entries.length - current.length)).filter(
    wasCommitted,
  );
  const cited = new Map<string, Citation>();
  const uncited = new Map<string, Citation>();
  for (const turn of [...earlier, current]) {
    // A change that was returned to the model was checked more than once. The last check applies.
    const check = turn.findLast((entry): entry is NoteEntry => entry.type === "check");
    for (const citation of check?.citations ?? []) {
      cited.set(JSON.stringify(citation), citation);
    }
    for (const fact of check?.uncited ?? []) uncited.set(fact.words, fact);
  }
  const sources = current.flatMap((entry) => (entry.type === "sources" ? entry.sources : []));
  const citations = [...cited.values()];
  return {
    citations,
    uncited: [...uncited.values()].filter(
      ({ words }) => !citations.some((citation) => hasWords(citation.words, words)),
    ),
    unread: sources.filter(({ error }) => error !== null),
  };
}

function splitTurns(entries: readonly TranscriptEntry[]): readonly (readonly TranscriptEntry[])[] {
  const turns: TranscriptEntry[][] = [];
  for (const entry of entries) {
    if (entry.type === "message" && entry.from === "person") turns.push([]);
    turns.at(-1)?.push(entry);
  }
  return turns;
}

/**
 * Reports whether the turn's changes were committed. If a turn failed, the model receives a message without a reason
 * that it could fix.
 */
function wasCommitted(turn: readonly TranscriptEntry[]): boolean {
  const isFailed = turn.some(
    (entry) => entry.type === "message" && entry.from === "service" && entry.reason === undefined,
  );
  return !isFailed && turn.some(({ type }) => type === "commit");
}
