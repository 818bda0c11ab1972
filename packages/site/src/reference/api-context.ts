import type { ComponentContext } from "../components/index.ts";
import type { FilePosition } from "../page/index.ts";
import type { ApiSettings } from "./settings.ts";
import type { ApiWords, Html } from "../markup/index.ts";

/** The inputs that a page provides for rendering API content. */
export interface ApiContext {
  readonly page: ComponentContext;
  /** The location of the description, to which links in its texts are relative. */
  readonly place: FilePosition;
  readonly words: ApiWords;
  readonly settings: ApiSettings;
  /** Whether the page's author wrote examples. If so, no examples are generated. */
  readonly authored: { readonly request: boolean; readonly response: boolean };
  /** Renders the page's own content. Call it once, in page order, because ids are assigned in that order. */
  readonly renderPageContent: () => Html;
  /** Whether the page has its own description. If so, the API's description is omitted. */
  readonly hasDescription: boolean;
}

/** A page's content together with its API reference. */
export interface ApiPart {
  /** The HTML. Examples are `<aside data-example>`, which the layout puts beside the text. */
  readonly html: Html;
  /** The API's content as Markdown, without the page's own content. */
  readonly markdown: string;
}
