import type { RenderedPage } from "./rendered-page.ts";

const noText = new Uint8Array();

/**
 * What the files that all pages share are made of, which is held on to when a page's document is where it
 * belongs. The copies let go of the child's message, of which all bytes are parts.
 */
export function withoutDocument({ markdown, terms, ...rendered }: RenderedPage): RenderedPage {
  const { sectionCount, shown, words, postings } = terms;
  return {
    ...rendered,
    html: noText,
    markdown: Buffer.from(markdown),
    terms: {
      sectionCount,
      shown: Buffer.from(shown),
      words: Buffer.from(words),
      postings: postings.slice(),
    },
  };
}
