import { boundedList } from "../bounded-list.ts";
import { inertCode, inertLink, inertWords, truncate } from "../inert-text.ts";
import { linkToLines } from "../../core/index.ts";
import type { FixedSource } from "../sources/turn-source.ts";
import { placeOf } from "./citation.ts";
import type { Citation } from "./citation.ts";
import type { CitedSources } from "./recorded-citations.ts";

const listed = 60;
const citedLength = 7_000;
const unreadLength = 2_500;
const maxWords = 200;

/**
 * What a pull request says of the sources: each place that was cited, with the words that stand there, as code; and
 * what could not be read. Undefined where there is nothing to say.
 */
export function citationSection({ citations, unread }: CitedSources): string | undefined {
  const parts: string[] = [];
  if (citations.length > 0) {
    const lines = citations.slice(0, listed).map(citationLine);
    const list = boundedList(lines, {
      maxLength: citedLength,
      total: citations.length,
      rest: "more",
    });
    parts.push(`Each place was looked up at its commit, and the words stand there:\n\n${list}`);
  }
  if (unread.length > 0) {
    const lines = unread.map(unreadLine);
    const list = boundedList(lines, {
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
  const place = placeOf(citation);
  const address = linkToLines({ repository, commit, path, line, endLine });
  const shown = address === undefined ? inertCode(place, 300) : inertLink(place, address, 300);
  return `${shown} ${inertCode(citation.words, maxWords)}`;
}

function unreadLine({ name, error }: FixedSource): string {
  return `${inertCode(name, 100)}: ${truncate(inertWords(error ?? ""), 200)}`;
}
