import type { BundleFile } from "../core/index.ts";
import { escapeXml, html, joinHtml, type Html } from "../markup/index.ts";
import { pageAddress } from "../site/index.ts";
import type { Site } from "../site/index.ts";
import { renderFirstScript } from "../theme/index.ts";
import type { OutputOptions } from "./output.ts";
import { targetAddress, type RedirectTarget } from "./redirect-target.ts";

export interface RedirectPageOptions extends OutputOptions {
  readonly addresses: Site["addresses"];
  readonly title?: string;
}

/** A page that sends browsers on to `target`, and shows a link for those that stay. */
export function renderRedirectPage(
  file: string,
  target: RedirectTarget,
  { addresses, baseUrl, title = "This page has moved" }: RedirectPageOptions,
): BundleFile {
  const address = targetAddress(target, file);
  const isInBundle = target.type === "file" && baseUrl !== undefined;
  const canonical = isInBundle ? pageAddress({ addresses }, target.file, baseUrl) : address;
  const [href, heading] = [escapeXml(address), escapeXml(title)];
  const lines = [
    html`<!doctype html>`,
    html`<html lang="en"${ownPlace(file)}>`,
    html`<meta charset="utf-8">`,
    renderFirstScript(),
    html`<title>${heading}</title>`,
    html`<meta http-equiv="refresh" content="0; url=${href}">`,
    html`<link rel="canonical" href="${escapeXml(canonical)}">`,
    html`<p>${heading}: <a href="${href}">${href}</a></p>`,
  ];
  return { path: file, content: html`${joinHtml(lines, html`\n`)}\n` };
}

/** As pages say where they are: hosts show redirect pages at as many addresses. */
function ownPlace(file: string): Html {
  const path = file.replace(/\.html?$/i, "");
  const root = "../".repeat(file.split("/").length - 1);
  const current = escapeXml(`/${path === "index" ? "" : path}`);
  return html` data-root="${escapeXml(root)}" data-current-path="${current}"`;
}
