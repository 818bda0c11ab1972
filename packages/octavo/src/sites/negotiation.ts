/** A type or coding of an Accept header with its weight, 0 to 1. */
interface Accepted {
  readonly name: string;
  readonly weight: number;
}

/** The maximum number of items that are read. No client sends as many. */
const maxItems = 40;

function parseAccepted(header: string): readonly Accepted[] {
  return header
    .toLowerCase()
    .split(",", maxItems)
    .map((item) => {
      const [name = "", ...parameters] = item.split(";");
      const weight = parameters
        .map((text) => /^\s*q\s*=\s*([\d.]+)\s*$/.exec(text)?.[1])
        .find((text) => text !== undefined);
      return {
        name: name.trim(),
        weight: weight === undefined ? 1 : Math.min(1, Number(weight) || 0),
      };
    });
}

/** Reports whether a response should be compressed with gzip, by an Accept-Encoding header. */
export function isGzipAccepted(header: string | undefined): boolean {
  if (header === undefined) return false;
  // Browsers send no weights.
  if (!header.includes(";") && /\bgzip\b/.test(header)) return true;
  const accepted = parseAccepted(header);
  const find = (...names: readonly string[]) =>
    accepted.find(({ name }) => names.includes(name))?.weight;
  const gzip = find("gzip", "x-gzip") ?? find("*") ?? 0;
  return gzip > 0 && gzip >= (find("identity") ?? 0);
}

/** The form in which a client wants to read a page. */
export type PageForm = "html" | "markdown" | "plain";

/**
 * Chooses the form of a page by an Accept header. A page is sent as Markdown, with the type `text/plain` if the client
 * does not name Markdown, only if the client prefers this to HTML.
 */
export function choosePageForm(header: string | undefined): PageForm {
  if (header === undefined || !/text\/(?:markdown|plain)/i.test(header)) return "html";
  const accepted = parseAccepted(header);
  const find = (wanted: string) => accepted.find(({ name }) => name === wanted)?.weight;
  const html = find("text/html");
  const anything = find("text/*") ?? find("*/*") ?? 0;
  const markdown = find("text/markdown") ?? 0;
  // Somebody who names Markdown but not HTML prefers it to anything.
  if (markdown > 0 && (html === undefined ? markdown >= anything : markdown > html)) {
    return "markdown";
  }
  return (find("text/plain") ?? 0) > (html ?? anything) ? "plain" : "html";
}
