import type { AgentJob } from "../../jobs/index.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { time } from "../words.ts";
import { badge } from "./parts.ts";

/** What agents were asked to do and what came of it, newest first. */
export function agentJobList(jobs: readonly AgentJob[]): Html {
  return html`<ul class="rows">
    ${jobs.map(
      ({ id, status, summary, error, prLink, model, createdAt }) =>
        html`<li class="row" id="${id}">
          <div class="row-main">
            ${badge(status)}
            <span class="row-title">${error ?? firstLine(summary) ?? "At work"}</span>
          </div>
          <span class="row-facts">
            ${prLink !== null && html`<a href="${prLink}">Pull request</a>`}
            <span>${model}</span>
            <span>${time(createdAt)}</span>
          </span>
        </li>`,
    )}
  </ul>`;
}

/** The pull request tells the rest. */
function firstLine(text: string | null): string | undefined {
  return text?.split("\n", 1)[0];
}
