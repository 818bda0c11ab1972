import { html, joinHtml, trustHtml, type Html } from "../../markup/index.ts";
import type { PageMode } from "../theme-layout.ts";

/** Where an article's panels and examples are shown. */
interface SidebarPositions {
  readonly panel: "side" | "nowhere";
  readonly example: "side" | "text";
}

/** Pages without a table of contents have no panel; pages that fill the window have nothing at their side. */
export function getSidebarPositions(mode: PageMode): SidebarPositions {
  return {
    panel: mode === "default" ? "side" : "nowhere",
    example: mode === "custom" || mode === "frame" ? "text" : "side",
  };
}

/** An article without what is shown at its side, and that. */
interface ExtractedSideParts {
  readonly main: Html;
  readonly side: Html;
}

const sideStart =
  /<aside class="[^"]*"(?: id="[^"]*")? data-(?:example(?:="(?<kind>\w+)")?|panel)[ =>]/g;
const asideTag = /<(\/?)aside\b/g;

/** Takes examples and panels out of an article, in one pass and in order, but requests before all else. */
export function extractSideParts(article: Html, places: SidebarPositions): ExtractedSideParts {
  // Cuts are where an element begins or ends, so that each piece is whole.
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

/** Where the element that begins at `start` ends; text never holds a bare `<`. */
function closingAside(article: Html, start: number): number | undefined {
  let depth = 0;
  for (const { 1: slash, index } of article.slice(start).matchAll(asideTag)) {
    depth += slash === "" ? 1 : -1;
    if (depth === 0) return article.indexOf(">", start + index) + 1;
  }
  return undefined;
}
