import { formatCount } from "../../core/index.ts";
import { describeToolCall, getActivity } from "../../jobs/index.ts";
import type { Activity, AgentMessage, AgentStep } from "../../jobs/index.ts";
import { safeHtml, type HtmlValue, type SafeHtml } from "../safe-html.ts";
import { renderSafeMarkdown } from "../markdown/markdown.ts";
import { formatShortCommit, renderRelativeTime } from "../format.ts";

export interface AgentStepsView {
  readonly messages: readonly AgentMessage[];
  readonly steps: readonly AgentStep[];
  readonly hasEarlierSteps: boolean;
  readonly job: { readonly status: string };
}

/** Renders the steps of people and the agent, oldest first, and then the queued messages. */
export function renderAgentSteps(view: AgentStepsView): SafeHtml {
  const { steps, hasEarlierSteps, job } = view;
  const areRemoved = steps.length === 0 && job.status !== "active";
  // The steps of a completed job are collapsed because its result is shown above them.
  const isOpen = job.status !== "completed" && job.status !== "archived";
  const stepCountText = `${formatCount(steps.length, "step")}${hasEarlierSteps ? ", and earlier ones" : ""}`;
  return safeHtml`<details class="steps-all" id="steps" ${isOpen && safeHtml`open`}>
    <summary>
      <h2>Steps</h2>
      ${steps.length > 0 && safeHtml`<span class="soft">${stepCountText}</span>`}
    </summary>
    ${hasEarlierSteps && safeHtml`<p class="soft">Earlier steps are not shown.</p>`}
    ${areRemoved && safeHtml`<p class="soft">The steps were removed after their retention time.</p>`}
    <ol class="steps">
      ${groupSteps(steps).map((group) => renderGroupItem(group, hasEarlierSteps))} ${findWaitingMessages(view).map(renderWaitingItem)}
      ${job.status === "active" && safeHtml`<li class="step step-now">${describeActivity(view)}</li>`}
    </ol>
  </details>`;
}

function describeActivity({ steps }: AgentStepsView): string {
  const last = steps.findLast((step) => step.type === "message" || step.type === "model");
  return last?.type === "message" || last === undefined ? "Looking at the site…" : "At work…";
}

/** Returns the messages whose turn has not started, or all messages if the job's steps have been removed. */
function findWaitingMessages({ messages, steps }: AgentStepsView): readonly AgentMessage[] {
  const startedTurns = new Set(
    steps.map((step) => (step.type === "message" ? step.turn : undefined)),
  );
  if (steps.length === 0) return messages;
  return messages.filter(
    ({ turn, state }) => (state === "queued" || state === "running") && !startedTurns.has(turn),
  );
}

function renderWaitingItem({ text, state, at }: AgentMessage): SafeHtml {
  const note = state === "queued" ? "queued" : undefined;
  return renderMessageItem({ who: "Asked", at: at.toISOString(), text, note });
}

/**
 * Renders a group of steps. If earlier steps are omitted, the number of tokens used so far is unknown and not shown.
 */
function renderGroupItem(group: StepGroup, hasEarlierSteps: boolean): SafeHtml | false {
  const tokens = hasEarlierSteps ? 0 : group.tokens;
  if (group.kind === "step") return renderStepItem(group.step, tokens);
  const { calls } = group;
  return renderItem(
    "tool",
    safeHtml`<details>
      <summary>${describeRun(group)}${tokens > 0 && safeHtml` <span class="tokens">${formatCount(tokens, "token")} so far</span>`}</summary>
      <ol class="steps">
        ${calls.map(renderToolItem)}
      </ol>
    </details>`,
  );
}

const runPhrases: readonly (readonly [tool: string, one: string, many: string])[] = [
  ["read", "read a file", "read %n files"],
  ["search", "searched once", "searched %n times"],
  ["list", "listed files", "listed files %n times"],
  ["edit", "edited once", "made %n edits"],
  ["write", "wrote a file", "wrote %n files"],
  ["move", "moved a file", "moved %n files"],
  ["delete", "removed a file", "removed %n files"],
];

/** Describes a run of calls, e.g. `Looked around: read 12 files, searched 3 times`. */
function describeRun({ activity, calls }: Extract<StepGroup, { readonly kind: "run" }>): string {
  const counts = new Map<string, number>();
  for (const { step, count } of calls) counts.set(step.tool, (counts.get(step.tool) ?? 0) + count);
  const phrases = runPhrases.flatMap(([tool, singular, plural]) => {
    const count = counts.get(tool);
    counts.delete(tool);
    if (count === undefined) return [];
    return [count === 1 ? singular : plural.replace("%n", count.toLocaleString("en"))];
  });
  const otherCallCount = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (otherCallCount > 0)
    phrases.push(formatCount(otherCallCount, phrases.length > 0 ? "other call" : "call"));
  return `${runTitles[activity]}: ${phrases.join(", ")}`;
}

const runTitles = {
  look: "Looked around",
  change: "Changed the site",
  other: "Worked",
} as const;

function renderStepItem(step: AgentStep, tokens: number): SafeHtml | false {
  switch (step.type) {
    case "message":
      return step.from === "person"
        ? renderMessageItem({ who: "Asked", at: step.at, text: step.text })
        : renderServiceItem(step);
    case "model":
      // The tool calls of the step are shown with their results.
      return (
        step.text !== "" &&
        renderItem(
          "model",
          safeHtml`${renderHead(step.model, step.at, tokens > 0 ? `${formatCount(tokens, "token")} so far` : undefined)}
            <div class="prose">${renderSafeMarkdown(step.text)}</div>`,
        )
      );
    case "tool":
      return renderToolItem({ step, count: 1 });
    case "commit":
      return renderItem("note", safeHtml`${step.text} ${renderCommit(step.details)}`);
    case "pull_request":
      return renderItem("note", renderLinkedNote(step.text, step.details));
    case "check":
      return renderItem("note", safeHtml`Checked the site: ${step.text}`);
    default:
      return renderItem("note", step.text);
  }
}

type MessageStep = Extract<AgentStep, { readonly type: "message" }>;

/** Renders a message of the service to the model. A message about a turn that ended without a result is collapsed. */
function renderServiceItem({ at, text, reason }: MessageStep): SafeHtml {
  if (reason !== undefined)
    return renderItem("service", safeHtml`${renderHead("Octavo", at)} ${renderPlainText(text)}`);
  return renderItem(
    "tool step-refused",
    safeHtml`<details>
      <summary>The turn ended without a result</summary>
      ${renderPlainText(text)}
    </details>`,
  );
}

function renderItem(kind: string, content: HtmlValue): SafeHtml {
  return safeHtml`<li class="step step-${kind}">${content}</li>`;
}

interface Message {
  readonly who: string;
  readonly at: string;
  readonly text: string;
  readonly note?: string | undefined;
}

function renderMessageItem({ who, at, text, note }: Message): SafeHtml {
  return renderItem("person", safeHtml`${renderHead(who, at, note)} ${renderPlainText(text)}`);
}

function renderHead(who: string, at: string, note?: string): SafeHtml {
  return safeHtml`<p class="step-head">
    <strong>${who}</strong> <span>${renderRelativeTime(at)}${note !== undefined && `, ${note}`}</span>
  </p>`;
}

/** Renders plain text with its line breaks. */
function renderPlainText(text: string): SafeHtml {
  return safeHtml`<p class="step-text">${text}</p>`;
}

function renderToolItem({ step, count }: RepeatedCall): SafeHtml {
  const { tool, input, output, status } = step;
  const { text, subject, result } = describeToolCall(step);
  return renderItem(
    status === "done" ? "tool" : "tool step-refused",
    safeHtml`<details>
      <summary>
        ${text}${subject !== undefined && safeHtml` <code>${subject}</code>`}${
          result !== undefined && safeHtml`<span class="soft">: ${result}</span>`
        }${count > 1 && safeHtml` <span class="soft">× ${count}</span>`}
      </summary>
      <p class="faint">Input to <code>${tool}</code></p>
      <pre tabindex="0">${formatJson(input)}</pre>
      <p class="faint">Output</p>
      <pre tabindex="0">${formatJson(output)}</pre>
    </details>`,
  );
}

function formatJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2) ?? "";
}

function renderCommit(details: Readonly<Record<string, unknown>> | undefined): SafeHtml | false {
  const commit = details?.["commit"];
  return (
    typeof commit === "string" &&
    safeHtml`<code title="${commit}">${formatShortCommit(commit)}</code>`
  );
}

function renderLinkedNote(
  text: string,
  details: Readonly<Record<string, unknown>> | undefined,
): HtmlValue {
  const [url, number] = [details?.["url"], details?.["number"]];
  if (typeof url !== "string" || !/^https?:/.test(url)) return text;
  const name = typeof number === "number" ? `pull request ${number}` : "pull request";
  return safeHtml`${text.startsWith("Opened") ? "Opened" : "Updated"} the
    <a href="${url}">${name}</a>.`;
}

type ToolStep = Extract<AgentStep, { readonly type: "tool" }>;

/** A single step, or a run of calls of one activity. */
type StepGroup =
  | { readonly kind: "step"; readonly step: AgentStep; readonly tokens: number }
  | {
      readonly kind: "run";
      readonly activity: Activity;
      readonly calls: readonly RepeatedCall[];
      readonly tokens: number;
    };

/** Identical calls, represented by the last one. */
interface RepeatedCall {
  readonly step: ToolStep;
  readonly count: number;
}

/** The minimum number of calls in a group. */
const minRunLength = 3;

/** Groups the steps by activity. `tokens` is the total number of tokens used up to the end of the group. */
function groupSteps(steps: readonly AgentStep[]): readonly StepGroup[] {
  const groups: StepGroup[] = [];
  let run: ToolStep[] = [];
  let tokens = 0;
  function closeRun(): void {
    const [first] = run;
    if (first && run.length >= minRunLength) {
      const calls = collapseRepeats(run);
      groups.push({ kind: "run", activity: getActivity(first.tool), calls, tokens });
    } else {
      groups.push(...run.map((step) => ({ kind: "step", step, tokens }) as const));
    }
    run = [];
  }
  for (const step of steps) {
    const isSilent = step.type === "model" && step.text === "";
    const [first] = run;
    const isContinued =
      step.type === "tool" && (!first || getActivity(first.tool) === getActivity(step.tool));
    if (!isContinued && !isSilent) closeRun();
    if (step.type === "model") tokens += step.usage.inputTokens + step.usage.outputTokens;
    if (step.type === "tool") run.push(step);
    else if (!isSilent) groups.push({ kind: "step", step, tokens });
  }
  closeRun();
  return groups;
}

function collapseRepeats(run: readonly ToolStep[]): readonly RepeatedCall[] {
  const calls = new Map<string, RepeatedCall>();
  for (const step of run) {
    const key = JSON.stringify([step.tool, step.input, step.status]);
    const earlierCall = calls.get(key);
    calls.set(key, { step, count: (earlierCall?.count ?? 0) + 1 });
  }
  return [...calls.values()];
}
