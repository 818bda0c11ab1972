import { html, joinHtml, type Html } from "../markup/index.ts";

/** Renders an XML document of these lines; if its addresses are relative, a comment says so. */
export function renderXmlDocument(lines: readonly Html[], baseUrl: string | undefined): Html {
  const note = html`<!-- Exported without a base URL: addresses are relative to this file. -->`;
  const declaration = html`<?xml version="1.0" encoding="UTF-8"?>`;
  const all = [declaration, ...(baseUrl === undefined ? [note] : []), ...lines, html``];
  return joinHtml(all, html`\n`);
}
