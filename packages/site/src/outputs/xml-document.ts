import { html, joinHtml, type Html } from "../markup/index.ts";

/** Renders an XML document from lines. If there is no base URL, a comment says that addresses are relative. */
export function renderXmlDocument(lines: readonly Html[], baseUrl: string | undefined): Html {
  const note = html`<!-- Exported without a base URL, so addresses are relative to this file. -->`;
  const declaration = html`<?xml version="1.0" encoding="UTF-8"?>`;
  const all = [declaration, ...(baseUrl === undefined ? [note] : []), ...lines, html``];
  return joinHtml(all, html`\n`);
}
