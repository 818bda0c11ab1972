import { z } from "zod";
import type { Template } from "./template.ts";

/** A string of the interface, which is one line without placeholders. */
const text = z.string().regex(/^(?!\s)[^{}\n]+(?<!\s)$/);

/** Creates the schema of a sentence with exactly these placeholders. */
function createTemplateSchema<Name extends string, Other extends string = Name>(
  ...names: readonly [Name] | readonly [Name, Other]
): z.ZodType<Template<Name, Other>> {
  const slots = names.map((name) => `{${name}}`).toSorted();
  return z.custom<Template<Name, Other>>(
    (value) => {
      if (typeof value !== "string" || !/^\S(?:.*\S)?$/.test(value)) return false;
      const found = value.match(/[{}]\w*\}?/g) ?? [];
      return found.toSorted().join() === slots.join();
    },
    `Must be one line with ${slots.join(" and ")}.`,
  );
}

/** Words around the article: in the top bar, the sidebar and the menus, and above and below a page's content. */
const frameWords = z
  .strictObject({
    skipToContent: text,
    navigation: text,
    /** The accessible name of the row of tabs. */
    sections: text,
    /** The accessible name of the line above the title, which shows the groups around the page. */
    breadcrumbs: text,
    menu: text,
    search: text,
    onThisPage: text,
    previous: text,
    next: text,
    language: text,
    version: text,
    switchScheme: text,
    close: text,
    more: text,
    deprecated: text,
    copyPage: text,
    viewAsMarkdown: text,
    openIn: createTemplateSchema("assistant"),
    /** The label of the link to a changelog's feed. */
    feed: text,
    /** The label of the buttons that filter a changelog's entries by tag. */
    filterByTag: text,
    /** The text before a date. */
    lastModified: text,
    editPage: text,
    reportIssue: text,
  })
  .readonly();

/** Words on the page that a host serves at addresses without a page. */
const notFoundWords = z
  .strictObject({
    title: text,
    text,
    home: text,
  })
  .readonly();

/** Labels of the buttons that enlarge and move a diagram, keyed by the button's key. */
const diagramControlWords = z
  .strictObject({
    in: text,
    out: text,
    reset: text,
    up: text,
    down: text,
    left: text,
    right: text,
  })
  .readonly();

/** Words in a page's content, in addition to the author's own. */
const contentWords = z
  .strictObject({
    pictureMissing: text,
    videoMissing: text,
    /** The label of the link from a footnote back to the reference with this number. */
    footnoteBack: createTemplateSchema("number"),
    /** The label of a frame from another host, which is loaded when the reader clicks it. */
    loadFrom: createTemplateSchema("host"),
    /** The label of a diagram without a title. */
    diagram: text,
    diagramSource: text,
    diagramControls: diagramControlWords,
    required: text,
    optional: text,
    deprecated: text,
    default: text,
    example: text,
    prompt: text,
  })
  .readonly();

/** Strings that the client script shows. */
const readerWords = z
  .strictObject({
    copy: text,
    copied: text,
    linkCopied: text,
    noResults: text,
    searchHint: text,
    /** The heading above the pages that the reader opened from the search, which are shown before a word is typed. */
    recent: text,
    /** The heading above the pages around the current page, which are also shown before a word is typed. */
    suggested: text,
    /** The text before the number of results. */
    results: text,
    /** The label of the button that opens an image in full size. */
    enlarge: text,
    /** The text before a link to the current version, at the top of pages of other versions. */
    oldVersion: text,
    unreleasedVersion: text,
  })
  .readonly();

/** Words on the pages of an API. */
const apiWords = z
  .strictObject({
    servers: text,
    authorization: text,
    pathParameters: text,
    queryParameters: text,
    headerParameters: text,
    cookieParameters: text,
    body: text,
    response: text,
    headers: text,
    callbacks: text,
    required: text,
    deprecated: text,
    readOnly: text,
    writeOnly: text,
    default: text,
    options: text,
    example: text,
    /** The text before the only allowed value. */
    constant: text,
    childFields: text,
    oneOf: text,
    anyOf: text,
    /** The label of an alternative that applies if a field has a certain value. */
    when: createTemplateSchema("property", "value"),
    /** The text that replaces the fields of a type that contains itself. */
    repeats: createTemplateSchema("parent"),
    notShown: text,
    more: createTemplateSchema("count"),
    anyFields: text,
    anyName: text,
    noContent: text,
    or: text,
    scopes: text,
    atLeast: createTemplateSchema("limit"),
    atMost: createTemplateSchema("limit"),
    between: createTemplateSchema("min", "max"),
    above: createTemplateSchema("limit"),
    below: createTemplateSchema("limit"),
    multipleOf: createTemplateSchema("factor"),
    /**
     * `count`, here and below, is a number or a range in words. In `oneCharacter`, `oneItem` and `oneField`, it is 1,
     * alone or as the only limit.
     */
    characters: createTemplateSchema("count"),
    oneCharacter: createTemplateSchema("count"),
    items: createTemplateSchema("count"),
    oneItem: createTemplateSchema("count"),
    fields: createTemplateSchema("count"),
    oneField: createTemplateSchema("count"),
    /** The label of a list whose items must be unique. */
    distinct: text,
    matches: createTemplateSchema("pattern"),
    encoded: createTemplateSchema("encoding"),
    bearer: createTemplateSchema("header"),
    basic: createTemplateSchema("header"),
    oauth2: createTemplateSchema("header"),
    openIdConnect: createTemplateSchema("header"),
    mutualTls: text,
    send: text,
    receive: text,
    payload: text,
    parameters: text,
    /** The text that replaces the content of a description that could not be read. `name` is its path or address. */
    absentDescription: createTemplateSchema("name"),
    /** The text that replaces an operation, schema or channel that no description contains. */
    absentPart: createTemplateSchema("name"),
  })
  .readonly();

/** All strings of the interface in one language, grouped by where they are shown. */
export const wordsSchema = z
  .strictObject({
    frame: frameWords,
    notFound: notFoundWords,
    content: contentWords,
    reader: readerWords,
    api: apiWords,
  })
  .readonly();

export type Words = z.infer<typeof wordsSchema>;
export type FrameWords = Words["frame"];
export type NotFoundWords = Words["notFound"];
export type ContentWords = Words["content"];
export type DiagramControlWords = ContentWords["diagramControls"];
export type ApiWords = Words["api"];

/** The words that the client script receives as JSON in `<html data-words>`. */
export type ScriptWords = Words["reader"] &
  Pick<FrameWords, "search" | "close" | "more" | "language" | "version">;
