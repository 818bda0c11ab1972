import type { PullRequestPage } from "../../../reviews/index.ts";
import { hostedRepository, parseAgentBranch, formatCount } from "../../../core/index.ts";
import type { Project } from "../../../projects/index.ts";
import type { Addresses } from "../../addresses.ts";
import { safeHtml } from "../../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../../safe-html.ts";
import { renderRelativeTime } from "../../format.ts";
import { renderPageHead, renderPullRequestBadge } from "../parts.ts";

/** The data that every page of a pull request needs for its title, tabs and actions. */
export interface PullRequestFrame {
  readonly project: Project;
  readonly page: PullRequestPage;
  /** Whether the user may comment on, merge and close the pull request. */
  readonly canWrite: boolean;
}

export type PullRequestTab = "conversation" | "changes" | "preview";

/** Renders a page of a pull request with its title, tabs and content, and with actions that are always visible. */
export function renderPullRequestFrame(
  addresses: Addresses,
  { project, page, canWrite }: PullRequestFrame,
  { tab, content }: { readonly tab: PullRequestTab; readonly content: HtmlValue },
): SafeHtml {
  const { number, title, state, isDraft, head, base, createdAt, endedAt } = page.pullRequest;
  const address = addresses.pull(project.id, number);
  const breadcrumbs = [["Pull requests", addresses.pulls(project.id)] as const];
  const renderTabLink = (name: PullRequestTab, href: string, text: HtmlValue) =>
    safeHtml`<a href="${href}" ${name === tab && safeHtml`aria-current="page"`}>${text}</a>`;
  return safeHtml`${renderPageHead(breadcrumbs, safeHtml`${title} <span class="number">#${number}</span>`, renderPullRequestBadge(state, isDraft))}
    <p class="soft pull-facts">
      ${describeState(page)} from <code>${head}</code> into <code>${base}</code>,
      ${renderRelativeTime(state === "open" ? createdAt : (endedAt ?? createdAt))}.
    </p>
    <nav class="tabs" aria-label="Pull request">
      ${renderTabLink("conversation", address, "Conversation")}
      ${renderTabLink("changes", `${address}/changes`, safeHtml`Changes <span class="tab-count">${page.files.length}</span>`)}
      ${renderTabLink("preview", `${address}/preview`, "Preview")}
    </nav>
    ${content} ${renderActionBar(addresses, { project, page, canWrite })}`;
}

/** Describes what happened, or should happen, to the commits, e.g. `Merged 2 commits by Ada`. */
function describeState({ author, commits, pullRequest: { state } }: PullRequestPage): HtmlValue {
  const count = formatCount(commits.length, "commit");
  if (state === "open") return `${author} wants to merge ${count}`;
  return state === "merged"
    ? `Merged ${count} by ${author}`
    : `Closed without merging ${count} by ${author}`;
}

/** Renders the merge, close and reply actions at the bottom of the window. */
function renderActionBar(
  addresses: Addresses,
  { project, page, canWrite }: PullRequestFrame,
): SafeHtml {
  const { state, number, isDraft, endedAt } = page.pullRequest;
  const address = addresses.pull(project.id, number);
  const reply = canWrite && safeHtml`<a class="button" href="#reply">Reply</a>`;
  if (state !== "open") {
    return safeHtml`<section class="action-bar" aria-label="Actions">
      <p>This pull request was ${state}${endedAt && safeHtml` ${renderRelativeTime(endedAt)}`}.</p>
      <div class="actions">
        ${reply}
        ${
          state === "merged" &&
          canWrite &&
          safeHtml`<form method="post" action="${address}/revert">
            <button type="submit" title="Opens a pull request that undoes this one">Revert</button>
          </form>`
        }
      </div>
    </section>`;
  }
  const { mergeability, headCommit } = page;
  return safeHtml`<section class="action-bar" aria-label="Actions">
    <p ${mergeability.canMerge && safeHtml`class="is-fine"`}>
      ${mergeability.canMerge ? renderMergeNote(project) : safeHtml`<strong>This pull request cannot be merged here.</strong> ${mergeability.reason}`}
    </p>
    <div class="actions">
      ${
        mergeability.canMerge &&
        canWrite &&
        safeHtml`<details class="confirm">
          <summary class="button primary">Merge…</summary>
          <form method="post" action="${address}/merge">
            <input type="hidden" name="headCommit" value="${headCommit}" />
            <p>Merge ${formatCount(page.commits.length, "commit")} into <code>${page.pullRequest.base}</code>?</p>
            <button class="primary" type="submit">Merge</button>
          </form>
        </details>`
      }
      ${
        isDraft &&
        canWrite &&
        safeHtml`<form method="post" action="${address}/ready">
          <button type="submit">Mark as ready</button>
        </form>`
      }
      ${reply}
      ${
        canWrite &&
        safeHtml`<form method="post" action="${address}/close">
          <button type="submit">Close</button>
        </form>`
      }
    </div>
  </section>`;
}

/** Renders the note that the pull request can be merged. It names the repository if this service does not host it. */
function renderMergeNote({ repository }: Project): HtmlValue {
  if (repository === hostedRepository) return "It can be merged without conflicts.";
  return safeHtml`It can be merged into <code>${repository}</code> without conflicts.`;
}

/** Returns the parsed name of the pull request's branch, or undefined if it is not the branch of an agent job. */
export function findAgentBranch({ page }: Pick<PullRequestFrame, "page">) {
  return parseAgentBranch(page.pullRequest.head);
}
