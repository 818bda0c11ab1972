import type { BundleFile } from "../core/index.ts";
import { escapeXml, html, joinHtml } from "../markup/index.ts";
import { fileAddress } from "../site/index.ts";
import type { OutputOptions } from "./output.ts";
import { targetAddress, type RedirectTarget } from "./redirect-target.ts";

export interface RedirectPageOptions extends OutputOptions {
  readonly title?: string;
}

/** A page that sends browsers on to `target`, and shows a link for those that stay. */
export function renderRedirectPage(
  file: string,
  target: RedirectTarget,
  { baseUrl, title = "This page has moved" }: RedirectPageOptions,
): BundleFile {
  const address = targetAddress(target, file);
  const isInBundle = target.type === "file" && baseUrl !== undefined;
  const canonical = isInBundle ? fileAddress(target.file, baseUrl) : address;
  const [href, heading] = [escapeXml(address), escapeXml(title)];
  const lines = [
    html`<!doctype html>`,
    html`<html lang="en">`,
    html`<meta charset="utf-8">`,
    html`<title>${heading}</title>`,
    html`<meta http-equiv="refresh" content="0; url=${href}">`,
    html`<link rel="canonical" href="${escapeXml(canonical)}">`,
    html`<p>${heading}: <a href="${href}">${href}</a></p>`,
  ];
  return { path: file, content: html`${joinHtml(lines, html`\n`)}\n` };
}
