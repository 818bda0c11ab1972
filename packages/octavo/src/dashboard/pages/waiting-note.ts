import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

/** Renders a note that says what a job is waiting for, if it is waiting. */
export function renderWaitingNote({
  waitingFor,
}: {
  readonly waitingFor?: string;
}): SafeHtml | false {
  return (
    waitingFor !== undefined &&
    safeHtml`<p class="notice in-lines" role="status"><strong>Waiting:</strong> ${waitingFor} The job continues automatically.</p>`
  );
}
