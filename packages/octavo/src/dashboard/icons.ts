import { safeHtml, type SafeHtml } from "./safe-html.ts";

/** Line drawings on a 16-unit grid, hidden from screen readers because there is always a word next to them. */
const drawings = {
  search: safeHtml`<circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 3.5 3.5" />`,
  project: safeHtml`<path d="M2.5 4h4L8 6h5.5v7h-11z" />`,
  page: safeHtml`<path d="M4 2.5h5l3 3v8H4zM9 2.5v3h3" />`,
  action: safeHtml`<path d="M8.5 2 4 9h3.5L7 14l5-7H8.5z" />`,
  export: safeHtml`<path d="M8 2.5v7m-3-3 3 3 3-3M3 10.5v3h10v-3" />`,
  agent: safeHtml`<path d="m8 2.5 1.5 4 4 1.5-4 1.5-1.5 4-1.5-4-4-1.5 4-1.5z" />`,
  site: safeHtml`<circle cx="8" cy="8" r="5.5" /><path d="M2.5 8h11M8 2.5q4 5.5 0 11q-4-5.5 0-11" />`,
  pullRequest: safeHtml`<circle cx="4" cy="4" r="1.5" /><circle cx="4" cy="12" r="1.5" />
    <circle cx="12" cy="12" r="1.5" /><path d="M4 5.5v5M12 10.5V7q0-3-3-3H7.5" />`,
  key: safeHtml`<circle cx="5.5" cy="10.5" r="2.5" /><path d="m7.5 8.5 5.5-6M11 5l2 2" />`,
  person: safeHtml`<circle cx="8" cy="5" r="2.5" /><path d="M3 13.5q.5-4 5-4t5 4" />`,
  message: safeHtml`<path d="M2.5 4h11v8h-11zm0 .5L8 9l5.5-4.5" />`,
  event: safeHtml`<circle cx="8" cy="8" r="5.5" /><path d="M8 5v3.5l2 1.5" />`,
} as const satisfies Readonly<Record<string, SafeHtml>>;

export type IconName = keyof typeof drawings;

export function renderIcon(name: IconName): SafeHtml {
  return safeHtml`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    ${drawings[name]}
  </svg>`;
}
