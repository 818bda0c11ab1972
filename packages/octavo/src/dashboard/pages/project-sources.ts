import { formatSourceSpec } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import { maxSources } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderPageHead, createProjectBreadcrumbs } from "./parts.ts";

export interface ProjectSourcesView {
  readonly project: Project;
  readonly isSaved?: boolean;
  /** The text that was sent but not accepted, and why. */
  readonly refused?: { readonly text: string; readonly sentence: string } | undefined;
}

/** Renders the form for the repositories that a project's agents may read, one per line. */
export function renderProjectSourcesPage(
  addresses: Addresses,
  { project, isSaved, refused }: ProjectSourcesView,
): SafeHtml {
  const text = refused?.text ?? project.sources.map(formatSourceSpec).join("\n");
  return safeHtml`${renderPageHead(createProjectBreadcrumbs(addresses, project), "Sources")}
    ${
      isSaved &&
      safeHtml`<p class="notice" role="status">Saved. Agents use these sources from their next turn.</p>`
    }
    <section class="card">
      <form class="prompt" method="post" action="${addresses.projectSources(project.id)}">
        <label for="sources">Repositories that agents may read, one per line</label>
        ${
          refused &&
          safeHtml`<p class="notice danger" id="sources-error" role="alert">${refused.sentence}</p>`
        }
        <textarea
          id="sources"
          name="sources"
          rows="4"
          spellcheck="false"
          placeholder="https://github.com/example/engine@main:src"
          ${refused && safeHtml`aria-invalid="true" aria-describedby="sources-error"`}
        >
${text}</textarea>
        <div class="prompt-end">
          <p class="faint">
            An address, <code>@</code> and a branch, tag or commit, <code>:</code> and a folder; at
            most ${maxSources}. Agents never change them. Credentials that are stored for an address
            stay; set them with the API.
          </p>
          <button class="primary" type="submit">Save</button>
        </div>
      </form>
    </section>`;
}
