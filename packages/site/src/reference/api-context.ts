import type { ComponentContext } from "../components/index.ts";
import type { FilePosition } from "../page/index.ts";
import type { ApiSettings } from "./settings.ts";
import type { ApiWords, Html, Words } from "../markup/index.ts";

/** The inputs that a page provides for rendering API content. */
export interface ApiContext {
  readonly page: ComponentContext;
  /** The location of the description, to which links in its text are relative. */
  readonly position: FilePosition;
  readonly words: ApiWords;
  readonly settings: ApiSettings;
  /** Whether the page's author wrote examples. If so, no examples are generated. */
  readonly authored: { readonly request: boolean; readonly response: boolean };
  /** Renders the page's own content. Call it once, in page order, because ids are assigned in that order. */
  readonly renderPageContent: () => Html;
  /** The location of the schema parts that do not fit on the page. */
  readonly deferred: {
    /** The bundle's script that contains them. */
    readonly script: string;
    /** The relative address of the page's Markdown file, which contains them for readers without scripts. */
    readonly markdownHref: Html;
    readonly words: Pick<Words["frame"], "more" | "viewAsMarkdown">;
  };
  /** Whether the page has its own description. If so, the API's description is omitted. */
  readonly hasDescription: boolean;
}

/** A page's content together with its API reference. */
export interface ApiPart {
  /** The HTML. Examples are `<aside data-example>`, which the layout puts beside the text. */
  readonly html: Html;
  /** The API's content as Markdown, without the page's own content. */
  readonly markdown: string;
  /** The HTML of the parts that readers load when they open them, by number; empty for most pages. */
  readonly parts: readonly Html[];
}
