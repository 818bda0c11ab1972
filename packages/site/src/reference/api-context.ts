import type { ComponentContext } from "../components/index.ts";
import type { FilePosition } from "../page/index.ts";
import type { ApiSettings } from "./settings.ts";
import type { ApiWords, Html } from "../markup/index.ts";

/** The page's values that rendering API content uses. */
export interface ApiContext {
  readonly page: ComponentContext;
  /** The place of the description, to which links in its texts are relative. */
  readonly place: FilePosition;
  readonly words: ApiWords;
  readonly settings: ApiSettings;
  /** Whether the page's author wrote examples, so that none are generated. */
  readonly authored: { readonly request: boolean; readonly response: boolean };
  /** HTML of the page's own content. Call it once, and in its place: ids are assigned in order. */
  readonly renderPageContent: () => Html;
  /** The page has a description of its own; that of the API is omitted. */
  readonly hasDescription: boolean;
}

/** A page's content together with that of an API. */
export interface ApiPart {
  /** Contains examples as `<aside data-example>`, which the layout puts beside the text. */
  readonly html: Html;
  /** The API's content as Markdown, without the page's own. */
  readonly markdown: string;
}
