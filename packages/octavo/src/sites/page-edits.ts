import type { SiteNote } from "./live-sites.ts";

/** The differences between a served page and the page in the archive. */
export interface PageEdits {
  /** The folder below `_octavo/` from which the theme's files are loaded. */
  readonly filesTag: string;
  /** The path of the version, such as `/v1`; empty for the default version. */
  readonly prefix: string;
  /** Attributes of the page's root element, for the page's script. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly note: SiteNote | undefined;
  /** Whether the note links to the page's changes. */
  readonly hasDifference: boolean;
}

const themeFolder = "_octavo/";
/**
 * Matches the folders whose files need no tag, because their names contain a hash or because they belong to a
 * difference.
 */
const untaggedFolder = /_octavo\/(?:media|difference)\//y;
/** Matches the root element of a page that Octavo rendered, with the path to the root of its bundle. */
const rootElement = /^<!doctype html>\s*<html\b[^>]*?\sdata-root="([^"]*)"/i;
/** Matches an attribute whose address begins with the path to the root, up to the theme's folder. */
const attributeStart = /\s(?:href|src|data-text-font)="(?:\/(?:[^"/]+\/)?|(?:\.\.\/)*)$/;
const maxAttributeStart = 400;

/** Edits the HTML of a page. For pages from other generators, only adds the note. */
export function editPage(page: string, edits: PageEdits): string {
  const root = rootElement.exec(page)?.[1];
  if (root === undefined) return addNote(page, edits);
  const attributeValues = { files: `${root}${themeFolder}${edits.filesTag}/`, ...edits.attributes };
  const attributes = Object.entries(attributeValues).map(
    ([name, value]) => ` data-${name}="${escapeText(value)}"`,
  );
  const taggedPage = tagFiles(page, edits.filesTag);
  const editedPage = taggedPage.replace(/<html\b/i, (start) => start + attributes.join(""));
  return addNote(editedPage, edits);
}

/**
 * The link to the style sheet next to the page, which a bundle contains in case the bundle's path on the host is
 * unknown.
 */
const stylesBeside = '<link rel="stylesheet" href="_octavo/octavo.css">';

/** Edits an error page. An error page can be shown at any path, so its addresses must begin with a slash. */
export function editErrorPage(page: string, edits: PageEdits): string {
  const absolute = page.replace(stylesBeside, "");
  const prefixed =
    edits.prefix === ""
      ? absolute
      : absolute.replace(
          / (href|src|data-root|data-text-font)="\/(?!\/)/g,
          ` $1="${edits.prefix}/`,
        );
  return editPage(prefixed, edits);
}

/** Adds the tag to the addresses of theme files in element attributes. */
function tagFiles(page: string, tag: string): string {
  let edited = "";
  let copiedEnd = 0;
  for (
    let index = page.indexOf(themeFolder);
    index >= 0;
    index = page.indexOf(themeFolder, index + 1)
  ) {
    untaggedFolder.lastIndex = index;
    if (untaggedFolder.test(page)) continue;
    const precedingText = page.slice(Math.max(0, index - maxAttributeStart), index);
    // The text of a page never contains an unescaped angle bracket, so an address after an unclosed angle bracket is
    // inside a tag.
    const isInElement = page.lastIndexOf("<", index) > page.lastIndexOf(">", index);
    if (!isInElement || !attributeStart.test(precedingText)) continue;
    const end = index + themeFolder.length;
    edited += `${page.slice(copiedEnd, end)}${tag}/`;
    copiedEnd = end;
  }
  return edited + page.slice(copiedEnd);
}

const noteStyle =
  "margin:0;padding:.75rem 1rem;border-top:1px solid #8886;font:.875rem/1.5 system-ui,sans-serif;text-align:center";

function addNote(
  page: string,
  { note, hasDifference }: Pick<PageEdits, "note" | "hasDifference">,
): string {
  if (!note) return page;
  const isLink = note.url !== undefined && /^https?:\/\//i.test(note.url);
  const text = escapeText(note.text);
  const content = isLink ? `<a href="${escapeText(note.url)}" rel="nofollow">${text}</a>` : text;
  const link = hasDifference ? ' <a href="?diff">Show changes</a>' : "";
  const line = `<p style="${noteStyle}" role="note">${content}${link}</p>`;
  const end = page.lastIndexOf("</body>");
  return end < 0 ? page + line : page.slice(0, end) + line + page.slice(end);
}

/** Escapes text for HTML and for XML. */
export function escapeText(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
