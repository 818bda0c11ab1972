import type { RenderedPage } from "./rendered-page.ts";

const noText = new Uint8Array();

/**
 * What the files made of all pages need of a page after its document was written. The copies release the child's
 * message, whose memory all of its byte arrays share.
 */
export function withoutDocument({ markdown, terms, ...rendered }: RenderedPage): RenderedPage {
  const { shown, texts, postings, ...counts } = terms;
  return {
    ...rendered,
    html: noText,
    markdown: Buffer.from(markdown),
    terms: {
      ...counts,
      shown: Buffer.from(shown),
      texts: Buffer.from(texts),
      postings: postings.slice(),
    },
  };
}
