import { formatDollars, formatCount } from "../../core/index.ts";
import type { AgentJob, AgentMessage, AgentStep } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { renderDiff } from "../diff/diff-view.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderSafeMarkdown } from "../markdown/markdown.ts";
import { getJobTitle, renderRelativeTime } from "../format.ts";
import { renderAgentSteps } from "./agent-steps.ts";
import {
  formatActor,
  renderCopyableText,
  renderLiveRegion,
  renderPageHead,
  renderPullRequestBadge,
  renderStatusBadge,
  renderWaitingNote,
} from "./parts.ts";
import { renderPromptForm, type RejectedPrompt } from "./prompt-form.ts";

export interface AgentJobView {
  readonly project: Project;
  readonly job: AgentJob;
  readonly revision: number;
  readonly messages: readonly AgentMessage[];
  /** The newest steps, in chronological order. */
  readonly steps: readonly AgentStep[];
  /** Whether there are earlier steps. */
  readonly hasEarlierSteps: boolean;
  /** The unified diff against the base; undefined while the job is active. */
  readonly diff: string | undefined;
  /** The address of the preview of the job's branch; undefined if nothing was pushed to the branch. */
  readonly previewAddress: string | undefined;
  /** Whether the preview can be created again, because people may have pushed to the branch. */
  readonly canRenew: boolean;
  readonly refused: RejectedPrompt | undefined;
  /** Whether the user may send messages to the job and end it. */
  readonly canRun: boolean;
}

/** The maximum length of a shown diff, in characters. Longer diffs are not useful on a page. */
const maxDiffLength = 1024 * 1024;

export function renderAgentJobPage(addresses: Addresses, view: AgentJobView): SafeHtml {
  const { project, job, revision, messages } = view;
  const address = addresses.agentJob(project.id, job.id);
  const breadcrumbs = [["Agent jobs", addresses.agent(project.id)] as const];
  const content = safeHtml`${renderPageHead(breadcrumbs, getJobTitle(messages), renderStatusBadge(job.status))}
    ${renderStatusSection(address, view)} ${renderAgentSteps(view)} ${renderFollowUpForm(address, view)}
    ${renderChanges(view)} ${renderFacts(view)}`;
  return renderLiveRegion(`${address}?seen=${revision}`, job.status === "active", content);
}

function renderStatusSection(address: string, view: AgentJobView): SafeHtml {
  const { job } = view;
  if (job.status === "active") return renderActiveCard(address, view);
  return safeHtml`${job.error !== undefined && renderError(job.error)}
    ${job.error === undefined && renderResultCards(getAgentResult(job, view.steps))}
    <div class="actions">
      ${
        job.prLink !== null &&
        safeHtml`<a class="button primary" href="${job.prLink}">Open the pull request</a>`
      }
      ${
        view.previewAddress !== undefined &&
        safeHtml`<a class="button" href="${view.previewAddress}">Preview</a>`
      }
      ${
        view.previewAddress !== undefined &&
        view.canRenew &&
        safeHtml`<form method="post" action="${view.previewAddress}">
          <button type="submit">Renew the preview</button>
        </form>`
      }
      ${
        job.status !== "archived" &&
        view.canRun &&
        safeHtml`<form method="post" action="${address}/archive">
          <button type="submit">Archive</button>
        </form>`
      }
    </div>`;
}

/** The number of characters of an error that are initially shown. */
const maxErrorLength = 400;

/** Renders why a job failed. A long reason, e.g. with a list of supported instructions, is partly collapsed. */
function renderError(error: string): SafeHtml {
  const blocks = error.trim().split(/\n{2,}/);
  let shownCount = 1;
  while (
    blocks.slice(0, shownCount + 1).join("").length <= maxErrorLength &&
    shownCount < blocks.length
  ) {
    shownCount += 1;
  }
  const collapsedText = blocks.slice(shownCount).join("\n\n");
  return safeHtml`<div class="notice danger in-lines" role="status">
    <p>${blocks.slice(0, shownCount).join("\n\n")}</p>
    ${
      collapsedText !== "" &&
      safeHtml`<details>
        <summary>More</summary>
        <p>${collapsedText}</p>
      </details>`
    }
  </div>`;
}

function renderResultCards({ summary, answer }: AgentResult): SafeHtml {
  return safeHtml`${summary !== null && safeHtml`<div class="card prose">${renderSafeMarkdown(summary)}</div>`}
    ${
      answer !== undefined &&
      safeHtml`<section class="card prose" aria-labelledby="answer">
        <h2 id="answer">Answer to the last message</h2>
        ${renderSafeMarkdown(answer)}
      </section>`
    }`;
}

function renderActiveCard(address: string, { job, canRun }: AgentJobView): SafeHtml {
  const { usage, source, createdAt } = job;
  const { steps, inputTokens, outputTokens } = usage;
  const tokens = inputTokens + outputTokens;
  return safeHtml`<div class="card at-work" role="status">
    <p>
      <strong>Working</strong> on the branch <code>${source.ref}</code>, started
      ${renderRelativeTime(createdAt)}.
      ${
        steps > 0 &&
        safeHtml`<span class="soft"
          >${formatCount(steps, "model reply", "model replies")} so
          far${tokens > 0 && `, ${formatCount(tokens, "token")}`}${formatCostNote(usage)}.</span
        >`
      }
    </p>
    ${renderWaitingNote(job)}
    ${
      canRun &&
      safeHtml`<form method="post" action="${address}/cancel">
        <button type="submit">Cancel</button>
      </form>`
    }
  </div>`;
}

function formatCostNote({ costUsd }: AgentJob["usage"]): string {
  return costUsd === undefined ? "" : `, ${formatDollars(costUsd)}`;
}

function renderFollowUpForm(
  address: string,
  { job, refused, canRun }: AgentJobView,
): SafeHtml | false {
  if (job.status === "archived" || !canRun) return false;
  return safeHtml`<section class="card" aria-labelledby="go-on">
    <h2 id="go-on">Follow up</h2>
    ${renderPromptForm({
      action: `${address}/message`,
      label: "What should the agent do next?",
      button: "Send",
      placeholder: "Use the new name in the guide too",
      hint: getFollowUpHint(job),
      refused,
    })}
  </section>`;
}

function getFollowUpHint({ status, pullRequest }: AgentJob): string {
  if (status === "active")
    return "The agent reads the message after it has finished the current one.";
  if (pullRequest?.state === "open") return "The changes are added to the same pull request.";
  if (pullRequest)
    return "The changes go into a new pull request because the last one is closed or merged.";
  return "If there are changes, they go into a pull request.";
}

function renderChanges({ diff }: AgentJobView): SafeHtml | false {
  if (diff === undefined || diff === "") return false;
  const isShort = diff.length <= maxDiffLength;
  return safeHtml`<section aria-labelledby="changes">
    <h2 id="changes">Changes</h2>
    ${
      diff.startsWith("# ")
        ? safeHtml`<pre class="plain-diff" tabindex="0">${diff.slice(0, maxDiffLength)}</pre>`
        : renderDiff(isShort ? diff : undefined)
    }
  </section>`;
}

function renderFacts({ job }: AgentJobView): SafeHtml {
  const { model, source, pullRequest, prLink, usage, createdAt } = job;
  const tokens = usage.inputTokens + usage.outputTokens;
  return safeHtml`<section aria-label="Facts">
    <dl class="facts">
      <div>
        <dt>Model</dt>
        <dd>${model}</dd>
      </div>
      <div>
        <dt>Branch</dt>
        <dd><code>${source.ref}</code></dd>
      </div>
      ${
        pullRequest &&
        safeHtml`<div>
          <dt>Pull request</dt>
          <dd>
            <a class="plain" href="${prLink ?? pullRequest.url}"
              >${renderPullRequestBadge(pullRequest.state, pullRequest.draft)}</a
            >
          </dd>
        </div>`
      }
      <div>
        <dt>Used</dt>
        <dd>
          ${formatCount(usage.steps, "model reply", "model replies")},
          ${formatCount(tokens, "token")}${formatCostNote(usage)}
        </dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd>${renderRelativeTime(createdAt)}${formatActor(job.createdBy)}</dd>
      </div>
      <div>
        <dt>Job ID</dt>
        <dd>${renderCopyableText(job.id, "the job's ID")}</dd>
      </div>
    </dl>
  </section>`;
}

/** The agent's summary of its changes, and its reply to a later message that led to no changes. */
interface AgentResult {
  readonly summary: string | null;
  readonly answer: string | undefined;
}

/** Returns the result to show. A follow-up without changes does not replace the summary of earlier changes. */
function getAgentResult(
  { summary }: Pick<AgentJob, "summary">,
  steps: readonly AgentStep[],
): AgentResult {
  const turns = splitTurns(steps);
  const lastTurn = turns.at(-1) ?? [];
  const changedTurn = turns.findLast((turn) => turn.some(({ type }) => type === "commit"));
  if (changedTurn === undefined || changedTurn === lastTurn) return { summary, answer: undefined };
  const lastReply = changedTurn.findLast((step) => step.type === "model" && step.text !== "");
  if (lastReply?.type !== "model") return { summary, answer: undefined };
  return { summary: lastReply.text, answer: summary ?? undefined };
}

function splitTurns(steps: readonly AgentStep[]): readonly (readonly AgentStep[])[] {
  const turns: AgentStep[][] = [];
  for (const step of steps) {
    if (step.type === "message" && step.from === "person") turns.push([step]);
    else turns.at(-1)?.push(step);
  }
  return turns;
}
