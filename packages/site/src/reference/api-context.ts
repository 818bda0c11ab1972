import type { ComponentContext } from "../components/index.ts";
import type { Place } from "../page/index.ts";
import type { ApiSettings } from "./settings.ts";
import type { ApiWords, Html } from "../markup/index.ts";

/** What a page gives to what is rendered of an API on it. */
export interface ApiContext {
  readonly page: ComponentContext;
  /** The description that it comes from; links within its texts start there. */
  readonly place: Place;
  readonly words: ApiWords;
  readonly settings: ApiSettings;
  /** Examples that the page's author wrote, so that none are made. */
  readonly authored: { readonly request: boolean; readonly response: boolean };
  /** HTML of what the page's author wrote; called once, when it is its turn: ids are given in order. */
  readonly renderOwn: () => Html;
  /** The page says above what it is about; what the API's description says of it is left out. */
  readonly hasDescription: boolean;
}

/** A page's content with what an API adds to it. */
export interface ApiPart {
  /** Examples are in it as `<aside data-example>`, which the layout puts beside the text. */
  readonly html: Html;
  /** What it adds to the page as Markdown. */
  readonly markdown: string;
}
