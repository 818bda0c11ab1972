import { escapeHtml, trustedHtml } from "../html.ts";
import type { Html } from "../html.ts";

/** All texts of the interface in one language, by where they are shown. */
export interface Words {
  readonly frame: FrameWords;
  readonly notFound: NotFoundWords;
  readonly content: ContentWords;
  readonly reader: ReaderWords;
  readonly api: ApiWords;
}

/** Around the article: bar, sidebar, menus, and the lines above and below a page's content. */
export interface FrameWords {
  readonly skipToContent: string;
  readonly navigation: string;
  /** Name of the row of tabs, for screen readers. */
  readonly sections: string;
  /** Name of the line above the title with the groups around the page, for screen readers. */
  readonly breadcrumbs: string;
  readonly menu: string;
  readonly search: string;
  readonly onThisPage: string;
  readonly previous: string;
  readonly next: string;
  readonly language: string;
  readonly version: string;
  readonly switchScheme: string;
  readonly close: string;
  readonly more: string;
  readonly deprecated: string;
  readonly copyPage: string;
  readonly viewAsMarkdown: string;
  readonly openIn: Template<"assistant">;
  /** Of the link to a changelog's feed. */
  readonly feed: string;
  /** Of the buttons that show the entries of a changelog with one tag. */
  readonly filterByTag: string;
  /** Stands before a date. */
  readonly lastModified: string;
  readonly editPage: string;
  readonly reportIssue: string;
}

/** The page that a host shows at an address without a page. */
export interface NotFoundWords {
  readonly title: string;
  readonly text: string;
  readonly home: string;
}

/** In a page's content, in addition to its author's words. */
export interface ContentWords {
  readonly pictureMissing: string;
  readonly videoMissing: string;
  /** Label of the link from a footnote back to the reference with this number. */
  readonly footnoteBack: Template<"number">;
  /** Label of a frame from another host, which is loaded on click. */
  readonly loadFrom: Template<"host">;
  /** Label of a diagram without a title. */
  readonly diagram: string;
  readonly diagramSource: string;
  readonly diagramControls: DiagramControlWords;
  readonly required: string;
  readonly optional: string;
  readonly deprecated: string;
  readonly default: string;
  readonly example: string;
  readonly prompt: string;
}

/** Labels of the buttons that enlarge and move a diagram, by the button's key. */
export interface DiagramControlWords {
  readonly in: string;
  readonly out: string;
  readonly reset: string;
  readonly up: string;
  readonly down: string;
  readonly left: string;
  readonly right: string;
}

/** Texts of the reader's script. */
interface ReaderWords {
  readonly copy: string;
  readonly copied: string;
  readonly linkCopied: string;
  readonly noResults: string;
  readonly searchHint: string;
  /** Above the pages that the search shows before a word is typed: those that the reader opened from it. */
  readonly recent: string;
  /** Likewise: those around the page. */
  readonly suggested: string;
  /** Stands before their number. */
  readonly results: string;
  /** Label of the button that opens a picture in full size. */
  readonly enlarge: string;
}

/** What the reader's script gets as JSON in `<html data-words>`. */
export type ScriptWords = ReaderWords & Pick<FrameWords, "search" | "close" | "more" | "language">;

/** On the pages of an API. */
export interface ApiWords {
  readonly servers: string;
  readonly authorization: string;
  readonly pathParameters: string;
  readonly queryParameters: string;
  readonly headerParameters: string;
  readonly cookieParameters: string;
  readonly body: string;
  readonly response: string;
  readonly headers: string;
  readonly callbacks: string;
  readonly required: string;
  readonly deprecated: string;
  readonly readOnly: string;
  readonly writeOnly: string;
  readonly default: string;
  readonly options: string;
  readonly example: string;
  /** Stands before the only value that is allowed. */
  readonly constant: string;
  readonly childFields: string;
  readonly oneOf: string;
  readonly anyOf: string;
  /** Label of an alternative that applies if a field has a value. */
  readonly when: Template<"property", "value">;
  /** In place of the fields of a type that contains itself. */
  readonly repeats: Template<"parent">;
  readonly notShown: string;
  readonly more: Template<"count">;
  readonly anyFields: string;
  readonly anyName: string;
  readonly noContent: string;
  readonly or: string;
  readonly scopes: string;
  readonly atLeast: Template<"limit">;
  readonly atMost: Template<"limit">;
  readonly between: Template<"min", "max">;
  readonly above: Template<"limit">;
  readonly below: Template<"limit">;
  readonly multipleOf: Template<"factor">;
  /** `count` here and below is a number or a range in words. */
  readonly characters: Template<"count">;
  readonly items: Template<"count">;
  readonly fields: Template<"count">;
  /** For a list without equal items. */
  readonly distinct: string;
  readonly matches: Template<"pattern">;
  readonly encoded: Template<"encoding">;
  readonly bearer: Template<"header">;
  readonly basic: Template<"header">;
  readonly oauth2: Template<"header">;
  readonly openIdConnect: Template<"header">;
  readonly mutualTls: string;
  readonly send: string;
  readonly receive: string;
  readonly payload: string;
  readonly parameters: string;
  /** In place of what a description has that could not be read; its path or address. */
  readonly absentDescription: Template<"name">;
  /** In place of an operation, schema or channel that no description has. */
  readonly absentPart: Template<"name">;
}

type WithSlot<Name extends string> = `${string}{${Name}}${string}`;

/** A sentence with `{name}` for each of one or two names, in the order of its language. */
export type Template<Name extends string, Other extends string = Name> = WithSlot<Name> &
  WithSlot<Other>;

const slots = /\{(\w+)\}/g;

/** Replaces the names in `template` with their values; names inside values are not replaced. */
export function fill<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, string>>,
): string {
  return template.replaceAll(slots, (_, name: Name) => values[name]);
}

/** Like `fill`, but with markup as values; escapes the rest of the template. */
export function fillHtml<Name extends string>(
  template: WithSlot<Name>,
  values: Readonly<Record<Name, Html>>,
): Html {
  const text = escapeHtml(template);
  return trustedHtml(text.replaceAll(slots, (_, name: Name) => values[name]));
}
