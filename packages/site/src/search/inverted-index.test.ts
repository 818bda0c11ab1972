import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryStore, readNumbers } from "./byte-store.ts";
import { invertTerms, readPostings } from "./inverted-index.ts";
import type { InvertedIndex, NumberedTerms } from "./inverted-index.ts";
import { indexPageTerms } from "./terms.ts";

const pages = Array.from({ length: 40 }, (_, page): NumberedTerms => {
  const words = Array.from({ length: 60 }, (_, at) => `w${(page * 31 + at * at) % 97}`);
  const text = `the ${words.join(" ")}`;
  const sections = [
    { id: "", heading: `Page ${page}`, text },
    { id: "more", heading: "More", text: words.slice(page).join(" ") },
  ];
  return { terms: indexPageTerms(sections), firstSection: 2 * page };
});

function plain(index: InvertedIndex) {
  const { texts, starts, pageTerms, pageStarts } = index;
  return {
    starts: [...starts],
    postings: texts.map((text, ordinal) => [text, [...readPostings(index, ordinal)]]),
    pages: pages.map((_, page) =>
      Array.from(
        readNumbers(pageTerms, pageStarts[page] ?? 0, pageStarts[page + 1] ?? 0),
        (ordinal) => texts[ordinal],
      ),
    ),
  };
}

test("an index is the same however many of its postings are put in order at a time", () => {
  const whole = plain(invertTerms(pages, createMemoryStore));
  assert.ok(whole.postings.length > 90);
  for (const maxPostings of [1, 50, 1_000]) {
    assert.deepEqual(plain(invertTerms(pages, createMemoryStore, maxPostings)), whole);
  }
});

test("postings ascend, and each page has the terms that it was given with", () => {
  const { postings, pages: terms } = plain(invertTerms(pages, createMemoryStore, 50));
  for (const [text, list] of postings) {
    assert.deepEqual(
      list,
      (list as number[]).toSorted((a, b) => a - b),
      String(text),
    );
  }
  const given = pages.map((page) => Buffer.from(page.terms.texts).toString().split("\n"));
  assert.deepEqual(terms, given);
});
