import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

/** What a job waits for, if it does. */
export function waitingNote({ waitingFor }: { readonly waitingFor?: string }): SafeHtml | false {
  return (
    waitingFor !== undefined &&
    safeHtml`<p class="notice in-lines" role="status"><strong>Waiting:</strong> ${waitingFor} The job goes on by itself.</p>`
  );
}
