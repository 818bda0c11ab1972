import type { AgentMessage, AgentStep } from "../../jobs/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml, HtmlValue } from "../safe-html.ts";
import { renderSafeMarkdown } from "../markdown/markdown.ts";
import { formatCount, shortCommit, relativeTime } from "../words.ts";
import { describeToolCall } from "./tool-sentence.ts";

export interface AgentStepsView {
  readonly messages: readonly AgentMessage[];
  readonly steps: readonly AgentStep[];
  readonly hasEarlierSteps: boolean;
  readonly job: { readonly status: string };
}

/** The steps of people and the agent, oldest first, then the queued messages. */
export function agentSteps(view: AgentStepsView): SafeHtml {
  const { steps, hasEarlierSteps, job } = view;
  const areRemoved = steps.length === 0 && job.status !== "active";
  // A completed job shows its result above; the steps are collapsed.
  const isOpen = job.status !== "completed" && job.status !== "archived";
  const amount = `${formatCount(steps.length, "step")}${hasEarlierSteps ? ", and earlier ones" : ""}`;
  return safeHtml`<details class="steps-all" id="steps" ${isOpen && safeHtml`open`}>
    <summary>
      <h2>Steps</h2>
      ${steps.length > 0 && safeHtml`<span class="soft">${amount}</span>`}
    </summary>
    ${hasEarlierSteps && safeHtml`<p class="soft">Earlier steps are left out.</p>`}
    ${areRemoved && safeHtml`<p class="soft">The steps were removed after their retention time.</p>`}
    <ol class="steps">
      ${steps.map(stepItem)} ${findWaitingMessages(view).map(waitingItem)}
      ${job.status === "active" && safeHtml`<li class="step step-now">${activityText(view)}</li>`}
    </ol>
  </details>`;
}

function activityText({ steps }: AgentStepsView): string {
  const last = steps.findLast((step) => step.type === "message" || step.type === "model");
  return last?.type === "message" || last === undefined ? "Looking at the site…" : "At work…";
}

/** Messages whose turn has not started; all messages if the job's steps have been removed. */
function findWaitingMessages({ messages, steps }: AgentStepsView): readonly AgentMessage[] {
  const startedTurns = new Set(
    steps.map((step) => (step.type === "message" ? step.turn : undefined)),
  );
  if (steps.length === 0) return messages;
  return messages.filter(
    ({ turn, state }) => (state === "queued" || state === "running") && !startedTurns.has(turn),
  );
}

function waitingItem({ text, state, at }: AgentMessage): SafeHtml {
  const note = state === "queued" ? "queued" : undefined;
  return messageItem({ who: "Asked", at: at.toISOString(), text, note });
}

function stepItem(step: AgentStep): SafeHtml | false {
  switch (step.type) {
    case "message":
      return step.from === "person"
        ? messageItem({ who: "Asked", at: step.at, text: step.text })
        : serviceItem(step);
    case "model":
      // Its tool calls are shown with their results.
      return (
        step.text !== "" &&
        item(
          "model",
          safeHtml`${head(step.model, step.at)}
            <div class="prose">${renderSafeMarkdown(step.text)}</div>`,
        )
      );
    case "tool":
      return toolItem(step);
    case "commit":
      return item("note", safeHtml`${step.text} ${commitOf(step.details)}`);
    case "pull_request":
      return item("note", withLink(step.text, step.details));
    case "check":
      return item("note", safeHtml`Checked the site: ${step.text}`);
    default:
      return item("note", step.text);
  }
}

type MessageStep = Extract<AgentStep, { readonly type: "message" }>;

/** Octavo's request to the model to improve its result; the full message about an ended turn is collapsed. */
function serviceItem({ at, text, reason }: MessageStep): SafeHtml {
  if (reason !== undefined) return item("service", safeHtml`${head("Octavo", at)} ${plain(text)}`);
  return item(
    "tool step-refused",
    safeHtml`<details>
      <summary>The turn ended without a result</summary>
      ${plain(text)}
    </details>`,
  );
}

function item(kind: string, content: HtmlValue): SafeHtml {
  return safeHtml`<li class="step step-${kind}">${content}</li>`;
}

interface Message {
  readonly who: string;
  readonly at: string;
  readonly text: string;
  readonly note?: string | undefined;
}

function messageItem({ who, at, text, note }: Message): SafeHtml {
  return item("person", safeHtml`${head(who, at, note)} ${plain(text)}`);
}

function head(who: string, at: string, note?: string): SafeHtml {
  return safeHtml`<p class="step-head">
    <strong>${who}</strong> <span>${relativeTime(at)}${note !== undefined && `, ${note}`}</span>
  </p>`;
}

/** Plain text with its line breaks. */
function plain(text: string): SafeHtml {
  return safeHtml`<p class="step-text">${text}</p>`;
}

type ToolStep = Extract<AgentStep, { readonly type: "tool" }>;

function toolItem(step: ToolStep): SafeHtml {
  const { tool, input, output, status } = step;
  const { text, subject, result } = describeToolCall(step);
  return item(
    status === "done" ? "tool" : "tool step-refused",
    safeHtml`<details>
      <summary>
        ${text}${subject !== undefined && safeHtml` <code>${subject}</code>`}${
          result !== undefined && safeHtml`<span class="soft">: ${result}</span>`
        }
      </summary>
      <p class="faint">Input to <code>${tool}</code></p>
      <pre tabindex="0">${pretty(input)}</pre>
      <p class="faint">Output</p>
      <pre tabindex="0">${pretty(output)}</pre>
    </details>`,
  );
}

function pretty(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}

function commitOf(details: Readonly<Record<string, unknown>> | undefined): SafeHtml | false {
  const commit = details?.["commit"];
  return (
    typeof commit === "string" && safeHtml`<code title="${commit}">${shortCommit(commit)}</code>`
  );
}

function withLink(text: string, details: Readonly<Record<string, unknown>> | undefined): HtmlValue {
  const [url, number] = [details?.["url"], details?.["number"]];
  if (typeof url !== "string" || !/^https?:/.test(url)) return text;
  const name = typeof number === "number" ? `pull request ${number}` : "pull request";
  return safeHtml`${text.startsWith("Opened") ? "Opened" : "Updated"} the
    <a href="${url}">${name}</a>.`;
}
