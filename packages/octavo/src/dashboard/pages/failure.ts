import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

export interface ErrorView {
  readonly status: number;
  readonly sentence: string;
  readonly requestId: string;
}

const titles: Readonly<Record<number, string>> = {
  400: "Invalid request",
  403: "Not allowed",
  404: "Not found",
  409: "Conflict",
  410: "Gone",
  429: "Too many requests",
  503: "Not available",
};

export function getErrorTitle(status: number): string {
  return titles[status] ?? (status < 500 ? "Request failed" : "Internal error");
}

export function renderErrorPage(
  addresses: Addresses,
  { status, sentence, requestId }: ErrorView,
): SafeHtml {
  return safeHtml`<div class="failure">
    <p class="status">${status}</p>
    <h1>${getErrorTitle(status)}</h1>
    <p>${sentence}</p>
    <p><a class="button" href="${addresses.root}">Go to the projects</a></p>
    <p class="faint">Request <code>${requestId}</code></p>
  </div>`;
}
