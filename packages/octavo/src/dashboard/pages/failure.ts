import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";

export interface FailureView {
  readonly status: number;
  readonly sentence: string;
  readonly requestId: string;
}

const titles: Readonly<Record<number, string>> = {
  400: "That cannot be read",
  403: "Not allowed",
  404: "Nothing here",
  409: "Not now",
  410: "Gone",
  429: "Too often",
  503: "Not available",
};

export function failureTitle(status: number): string {
  return titles[status] ?? (status < 500 ? "That did not work" : "Something failed");
}

export function failurePage(
  addresses: Addresses,
  { status, sentence, requestId }: FailureView,
): Html {
  return html`<div class="failure">
    <p class="status">${status}</p>
    <h1>${failureTitle(status)}</h1>
    <p>${sentence}</p>
    <p><a class="button" href="${addresses.root}">To the projects</a></p>
    <p class="faint">Request <code>${requestId}</code></p>
  </div>`;
}
