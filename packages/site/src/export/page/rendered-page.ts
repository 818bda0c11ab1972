import type { ChangelogEntry, ComponentScript, OutlineEntry, Reference } from "../../page/index.ts";
import type { Problem } from "../../core/index.ts";
import type { PageTerms } from "../../search/index.ts";

/**
 * A page as a render child returns it and the page cache stores it. Text is stored as UTF-8 bytes, because it is passed
 * from the child to files, and strings would be copied and garbage-collected at each step.
 */
export interface RenderedPage {
  /** The whole document, ready to be written as `<path>.html`. */
  readonly html: Uint8Array;
  /** The page as Markdown (`<path>.md`); its first line is the title. */
  readonly markdown: Uint8Array;
  /** The script with the parts of schemas that load when readers expand them; empty for most pages. */
  readonly schemaScript: Uint8Array;
  /** Whether `schemaScript` is not empty; known only if the page is read from the cache. */
  readonly hasSchemaScript?: boolean;
  readonly terms: PageTerms;
  readonly outline: readonly OutlineEntry[];
  readonly anchors: readonly string[];
  /** The hash of `anchors`; known only if they come from the cache. */
  readonly anchorsHash?: string;
  readonly references: readonly Reference[];
  /** Whether `references` contains frames; known only if the references come from the cache. */
  readonly hasFrames?: boolean;
  /** Addresses of the remote files that the page shows, without duplicates, in the page's order. */
  readonly remoteFiles: readonly string[];
  readonly icons: readonly string[];
  /** Class names in the article. They determine the utility classes in the bundle's styles. */
  readonly classNames: readonly string[];
  /**
   * The authored names of classes for which only style sheets can have rules; undefined if the page has no such
   * classes.
   */
  readonly sheetClassNames?: readonly string[];
  /** Scripts of components that run in the reader's browser. Most pages have no such components. */
  readonly scripts: readonly ComponentScript[];
  readonly changes?: readonly ChangelogEntry[];
  readonly problems: readonly Problem[];
  /** See `PageContent.barriers`. */
  readonly barriers: readonly Problem[];
  readonly dependencies: Readonly<Record<string, string>>;
}

const emptyText = new Uint8Array();

/** Reports whether a page has a schema script. Does not read the script of a cached page. */
export function hasSchemaScript({
  hasSchemaScript,
  schemaScript,
}: Pick<RenderedPage, "hasSchemaScript" | "schemaScript">): boolean {
  return hasSchemaScript ?? schemaScript.length > 0;
}

/**
 * Returns the parts of a page that are still needed after its document was written, for the files that are built from
 * all pages. Byte arrays are copied, because each would otherwise retain the memory of the child's whole message.
 */
export function omitDocument({ markdown, terms, ...rendered }: RenderedPage): RenderedPage {
  const { shown, texts, postings, ...counts } = terms;
  return {
    ...rendered,
    html: emptyText,
    schemaScript: emptyText,
    markdown: Buffer.from(markdown),
    terms: {
      ...counts,
      shown: Buffer.from(shown),
      texts: Buffer.from(texts),
      postings: postings.slice(),
    },
  };
}
