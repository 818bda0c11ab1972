import type { AgentJob, AgentMessage, AgentStep } from "../../jobs/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { diffView } from "../diff/diff-view.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { liveEvery } from "../layout.ts";
import { renderMarkdown } from "../markdown/markdown.ts";
import { count, firstLine, time } from "../words.ts";
import { agentSteps } from "./agent-steps.ts";
import { statusBadge, copied, pageHead, projectWay } from "./parts.ts";
import { promptForm } from "./prompt-form.ts";
import type { RefusedPrompt } from "./prompt-form.ts";

export interface AgentJobView {
  readonly project: Project;
  readonly job: AgentJob;
  readonly revision: number;
  readonly messages: readonly AgentMessage[];
  /** The newest, in order. */
  readonly steps: readonly AgentStep[];
  /** Whether there are more before them. */
  readonly hasEarlierSteps: boolean;
  /** Unified, against the base; undefined while the job is active. */
  readonly diff: string | undefined;
  /** Of the branch that the job works on; undefined where nothing was pushed to it. */
  readonly previewAddress: string | undefined;
  /** Whether the preview may be made anew: people may have pushed to the branch. */
  readonly canRenew: boolean;
  readonly refused: RefusedPrompt | undefined;
}

/** A difference that is longer is of no use on a page, in characters. */
const diffShown = 1024 * 1024;

export function agentJobPage(addresses: Addresses, view: AgentJobView): Html {
  const { project, job, revision, messages } = view;
  const address = addresses.agentJob(project.id, job.id);
  const live =
    job.status === "active" &&
    html`hx-get="${address}?seen=${revision}" hx-select="#live" hx-trigger="every ${liveEvery}"
    hx-swap="outerMorph"`;
  const way = [
    ...projectWay(addresses, project),
    ["Agent jobs", addresses.agent(project.id)] as const,
  ];
  return html`<div id="live" ${live}>
    ${pageHead(way, jobTitle(messages), statusBadge(job.status))} ${standing(address, view)}
    ${agentSteps(view)} ${followUp(address, view)} ${changes(view)} ${facts(view)}
  </div>`;
}

/** What was asked first. */
export function jobTitle([first]: readonly AgentMessage[]): string {
  return firstLine(first?.text ?? "Agent job");
}

function standing(address: string, view: AgentJobView): Html {
  const { job } = view;
  if (job.status === "active") return atWork(address, job);
  return html`${job.error !== undefined && html`<p class="notice danger in-lines" role="status">${job.error}</p>`}
    ${
      job.error === undefined &&
      job.summary !== null &&
      html`<div class="card prose">${renderMarkdown(job.summary)}</div>`
    }
    <div class="actions">
      ${
        job.prLink !== null &&
        html`<a class="button primary" href="${job.prLink}">Open the pull request</a>`
      }
      ${
        view.previewAddress !== undefined &&
        html`<a class="button" href="${view.previewAddress}">Preview</a>`
      }
      ${
        view.previewAddress !== undefined &&
        view.canRenew &&
        html`<form method="post" action="${view.previewAddress}">
          <button type="submit">Renew the preview</button>
        </form>`
      }
      ${
        job.status !== "archived" &&
        html`<form method="post" action="${address}/archive">
          <button type="submit">Archive</button>
        </form>`
      }
    </div>`;
}

function atWork(address: string, { usage, source, createdAt }: AgentJob): Html {
  const { steps, inputTokens, outputTokens } = usage;
  const tokens = inputTokens + outputTokens;
  return html`<div class="card at-work" role="status">
    <p>
      <strong>At work</strong> on the branch <code>${source.ref}</code>, started ${time(createdAt)}.
      ${
        steps > 0 &&
        html`<span class="soft"
          >${count(steps, "answer")} of the model so
          far${tokens > 0 && `, ${count(tokens, "token")}`}.</span
        >`
      }
    </p>
    <form method="post" action="${address}/cancel"><button type="submit">Cancel</button></form>
  </div>`;
}

function followUp(address: string, { job, refused }: AgentJobView): Html | false {
  if (job.status === "archived") return false;
  return html`<section class="card" aria-labelledby="go-on">
    <h2 id="go-on">Go on</h2>
    ${promptForm({
      action: `${address}/message`,
      label: "What else is to be done",
      button: "Send",
      placeholder: "Use the new name in the guide too",
      hint: followUpHint(job),
      refused,
    })}
  </section>`;
}

function followUpHint({ status, pullRequest }: AgentJob): string {
  if (status === "active") return "It is taken up when the agent is done with what it is at.";
  if (pullRequest?.state === "open") return "It adds a commit to the same pull request.";
  if (pullRequest) return "It opens a new pull request, because the last one has ended.";
  return "It opens a pull request where something is changed.";
}

function changes({ diff }: AgentJobView): Html | false {
  if (diff === undefined || diff === "") return false;
  const isShort = diff.length <= diffShown;
  return html`<section aria-labelledby="changes">
    <h2 id="changes">Changes</h2>
    ${
      diff.startsWith("# ")
        ? html`<pre class="plain-diff" tabindex="0">${diff.slice(0, diffShown)}</pre>`
        : diffView({ diff: isShort ? diff : undefined })
    }
  </section>`;
}

function facts({ job }: AgentJobView): Html {
  const { model, source, pullRequest, prLink, usage, createdAt } = job;
  const tokens = usage.inputTokens + usage.outputTokens;
  return html`<section aria-label="Facts">
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
        html`<div>
          <dt>Pull request</dt>
          <dd>
            <a class="plain" href="${prLink ?? pullRequest.url}"
              >${statusBadge(pullRequest.state)}</a
            >
          </dd>
        </div>`
      }
      <div>
        <dt>Used</dt>
        <dd>${count(usage.steps, "answer")}, ${count(tokens, "token")}</dd>
      </div>
      <div>
        <dt>Started</dt>
        <dd>${time(createdAt)}</dd>
      </div>
      <div>
        <dt>Job ID</dt>
        <dd>${copied(job.id, "the job's ID")}</dd>
      </div>
    </dl>
  </section>`;
}
