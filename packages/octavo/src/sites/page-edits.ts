import type { SiteNote } from "./live-sites.ts";

/** The ways in which a page that is served differs from the page in the archive. */
export interface PageEdits {
  /** The folder from which the files of the theme are loaded, as a name below `_octavo/`. */
  readonly filesTag: string;
  /** The path of the version, such as `/v1`; empty for the default version. */
  readonly prefix: string;
  /** Attributes of the page's root element, for its script. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly note: SiteNote | undefined;
  /** Whether the note leads to the page's changes. */
  readonly hasDifference: boolean;
}

const themeFolder = "_octavo/";
/** Files here have their hash in their names, or are of a difference, so that they need no other address. */
const untaggedFolder = /_octavo\/(?:media|difference)\//y;
/** The root element of a page of ours, with the path to the root of its bundle. */
const rootElement = /^<!doctype html>\s*<html\b[^>]*?\sdata-root="([^"]*)"/i;
/** An address that begins with the path to the root, up to the folder of the theme. */
const attributeStart = /\s(?:href|src|data-text-font)="(?:\/(?:[^"/]+\/)?|(?:\.\.\/)*)$/;
const maxAttributeStart = 400;

/** Edits the HTML of a page. Pages of other generators only get the note. */
export function editPage(page: string, edits: PageEdits): string {
  const root = rootElement.exec(page)?.[1];
  if (root === undefined) return addNote(page, edits);
  const files = { files: `${root}${themeFolder}${edits.filesTag}/`, ...edits.attributes };
  const attributes = Object.entries(files).map(
    ([name, value]) => ` data-${name}="${escapeText(value)}"`,
  );
  const tagged = tagFiles(page, edits.filesTag);
  const edited = tagged.replace(/<html\b/i, (start) => start + attributes.join(""));
  return addNote(edited, edits);
}

/** The style sheet beside the page, which a bundle names in case that its path on the host is unknown. */
const stylesBeside = '<link rel="stylesheet" href="_octavo/octavo.css">';

/** Edits the page of an error, which is shown at any path, so that its addresses begin with a slash. */
export function editErrorPage(page: string, edits: PageEdits): string {
  const absolute = page.replace(stylesBeside, "");
  const moved =
    edits.prefix === ""
      ? absolute
      : absolute.replace(
          / (href|src|data-root|data-text-font)="\/(?!\/)/g,
          ` $1="${edits.prefix}/`,
        );
  return editPage(moved, edits);
}

/** Adds the tag to the addresses of the theme's files in the attributes of elements. */
function tagFiles(page: string, tag: string): string {
  let edited = "";
  let done = 0;
  for (let at = page.indexOf(themeFolder); at >= 0; at = page.indexOf(themeFolder, at + 1)) {
    untaggedFolder.lastIndex = at;
    if (untaggedFolder.test(page)) continue;
    const before = page.slice(Math.max(0, at - maxAttributeStart), at);
    // The text of a page never contains an unescaped bracket, so that this is the inside of an element.
    const isInElement = page.lastIndexOf("<", at) > page.lastIndexOf(">", at);
    if (!isInElement || !attributeStart.test(before)) continue;
    const end = at + themeFolder.length;
    edited += `${page.slice(done, end)}${tag}/`;
    done = end;
  }
  return edited + page.slice(done);
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
