import { escapeHtml } from "../markup/index.ts";
import type { Operation } from "../site/index.ts";

/** The short coloured label of a method; `DELETE` is cut to `DEL` as it stands in narrow columns. */
export function methodBadge(method: string): string {
  const label = method === "delete" ? "DEL" : method.toUpperCase();
  return `<span class="method method-${escapeHtml(method)}">${escapeHtml(label)}</span>`;
}

/** Method and path as the line under a page's title. */
export function operationLine({ method, path }: Operation): string {
  return (
    `<div class="operation">${methodBadge(method)}` +
    `<code>${escapeHtml(path).replaceAll("/", "<wbr>/")}</code></div>`
  );
}
