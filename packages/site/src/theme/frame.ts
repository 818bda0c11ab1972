import { attributes, escapeHtml, html, textDirection, type Html } from "../markup/index.ts";
import { renderBanner } from "./banner.ts";
import { renderFooter } from "./footer.ts";
import type { FrameContext } from "./frame-context.ts";
import { renderBarEnd, renderHeader } from "./header.ts";
import { pageMode } from "./page-mode.ts";
import { searchScopeLabel } from "./search-scope.ts";
import { renderSidePanel } from "./side-panel.ts";
import type { Sidebar } from "./navigation/sidebar.ts";

/**
 * The start tag of `<html>`. Its attributes tell the reader's script the way to the root, the search index and its
 * texts, and the site's own styles and scripts which page this is.
 */
export function renderHtmlTag(frame: FrameContext, root: string): Html {
  const { addresses, config, page, languageTag } = frame;
  const { appearance } = config;
  const path = page === undefined ? "" : `/${page.path === "index" ? "" : page.path}`;
  const language = attributes({ lang: languageTag, dir: textDirection(languageTag) });
  const place = html` data-root="${escapeHtml(root)}"${attributes({ "data-site": frame.siteKey })}`;
  const search = html` data-search="${escapeHtml(frame.searchScope(page).join(" "))}"`;
  const scope = attributes({ "data-search-scope": searchScopeLabel(frame) });
  const current = html` data-current-path="${escapeHtml(path)}"`;
  const look = attributes({
    "data-page-mode": pageMode(page),
    "data-theme": config.theme,
    "data-layout": frame.layout,
    "data-appearance": appearance.default,
    "data-fixed": appearance.strict,
    "data-addresses": addresses,
    class: appearance.default === "dark" && "dark",
  });
  const words = html` data-words="${frame.scriptWords}"`;
  return html`<html${language}${place}${search}${scope}${current}${look}${words}>`;
}

/** `<body>` around `<main>`, with `rootMark`. */
export interface FrameMarkup {
  readonly before: Html;
  readonly after: Html;
}

export function renderFrame(
  frame: FrameContext,
  sidebar: Sidebar,
  hasContents: boolean,
): FrameMarkup {
  const { config } = frame;
  const start = renderBodyStart(frame);
  const banner = config.banner === undefined ? "" : renderBanner(config.banner, frame);
  const header = renderHeader(frame, hasContents);
  const panel = renderSidePanel(frame, sidebar);
  const footer = renderFooter(frame);
  if (frame.layout === "sidebar") {
    const column = html`<div id="sidebar-column">${header}${panel}${renderBarEnd(frame)}</div>`;
    return {
      before: html`${start}<div id="body-content">${banner}${column}`,
      after: html`${footer}</div></body>`,
    };
  }
  return {
    before: html`${start}${banner}${header}<div id="body-content">${panel}`,
    after: html`</div>${footer}</body>`,
  };
}

function renderBodyStart({ config, words }: FrameContext): Html {
  const start = attributes({
    class: `${config.theme}-layout`,
    "data-background": config.background.decoration,
  });
  const skip = escapeHtml(words.skipToContent);
  return html`<body${start}><a class="skip-link" href="#content-area">${skip}</a>`;
}
