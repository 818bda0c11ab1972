import { html, joinHtml, trustHtml, type Html } from "../../markup/index.ts";
import type { PageMode } from "../theme-layout.ts";

/** The positions at which an article's panels and examples are shown. */
interface SidebarPositions {
  readonly panel: "side" | "nowhere";
  readonly example: "side" | "text";
}

/** Returns the positions: pages without a table of contents have no panel; full-window pages have no side content. */
export function getSidebarPositions(mode: PageMode): SidebarPositions {
  return {
    panel: mode === "default" ? "side" : "nowhere",
    example: mode === "custom" || mode === "frame" ? "text" : "side",
  };
}

/** An article without its side content, and that content. */
interface ExtractedSideParts {
  readonly main: Html;
  readonly side: Html;
}

const sideStart =
  /<aside class="[^"]*"(?: id="[^"]*")? data-(?:example(?:="(?<kind>\w+)")?|panel)[ =>]/g;
const asideTag = /<(\/?)aside\b/g;

/** Extracts examples and panels from an article, in one pass and in order, but with requests first. */
export function extractSideParts(article: Html, places: SidebarPositions): ExtractedSideParts {
  // Cuts are at the start or end of an element, so that each piece is whole.
  const cut = (start: number, end?: number): Html => trustHtml(article.slice(start, end));
  const main: Html[] = [];
  const requests: Html[] = [];
  const others: Html[] = [];
  let end = 0;
  for (const match of article.matchAll(sideStart)) {
    if (match.index < end) continue;
    const close = closingAside(article, match.index);
    if (close === undefined) break;
    main.push(cut(end, match.index));
    end = close;
    const kind = match.groups?.["kind"];
    const place = kind === undefined ? places.panel : places.example;
    if (place === "nowhere") continue;
    const part = cut(match.index, close);
    if (place === "text") main.push(part);
    else if (kind === "request") requests.push(part);
    else others.push(part);
  }
  return {
    main: html`${joinHtml(main)}${cut(end)}`,
    side: joinHtml([...requests, ...others]),
  };
}

/** Returns the end of the element that begins at `start`; text never contains a bare `<`. */
function closingAside(article: Html, start: number): number | undefined {
  let depth = 0;
  for (const { 1: slash, index } of article.slice(start).matchAll(asideTag)) {
    depth += slash === "" ? 1 : -1;
    if (depth === 0) return article.indexOf(">", start + index) + 1;
  }
  return undefined;
}
