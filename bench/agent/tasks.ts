import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createMemoryTranscript,
  defaultAgentLimits,
  performTurn,
} from "../../packages/octavo/src/agent/index.ts";
import type { AgentModel, TurnOutcome } from "../../packages/octavo/src/agent/index.ts";
import type { ModelPrice } from "../../packages/octavo/src/core/index.ts";
import { createFolderHistory } from "../../packages/octavo/src/git/index.ts";
import { openRenderChildren } from "../../packages/site/src/index.ts";
import type { RenderChildren } from "../../packages/site/src/index.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { progress } from "../progress.ts";
import type { Section } from "../results.ts";
import { table } from "../table.ts";
import {
  addSpent,
  formatSpent,
  openEvaluatedModel,
  spentHead,
  writeEvaluation,
} from "./evaluation.ts";
import type { EvaluationOptions, Spent } from "./evaluation.ts";
import type { FileChange } from "./prompts/prompt-site.ts";
import { taskCases } from "./tasks/cases.ts";
import { scoreTask } from "./tasks/score.ts";
import type { TaskScore } from "./tasks/score.ts";
import { isScriptedAgent, scriptAgent, scriptedAgents } from "./tasks/scripts.ts";
import { listAllowedFiles } from "./tasks/task-case.ts";
import type { TaskCase } from "./tasks/task-case.ts";
import { createHistoryTasks } from "./tasks/task-site.ts";
import type { OpenTask, TaskSite } from "./tasks/task-site.ts";

/**
 * `tasks [words] --model <provider/model>`: a model makes changes that people made in the histories of real sites, and
 * a program compares what it left with what had to hold. Without a model, scripted ones show that the scores tell right
 * from wrong. `histories` is a folder of git bundles or
 * repositories, each of one site.
 */
export async function benchTasks(
  histories: string | undefined,
  options: EvaluationOptions,
): Promise<Section> {
  if (histories === undefined) {
    throw new Error(
      "Set OCTAVO_HISTORY to a folder that holds git bundles or clones of documentation sites.",
    );
  }
  await using scratch = await temporaryFolder();
  await using children = openRenderChildren();
  const { only = "", model } = options;
  const isSite = taskCases.some(({ site }) => site === only);
  const cases = taskCases.filter(({ name, site }) =>
    isSite ? site === only : name.includes(only),
  );
  if (cases.length === 0) throw new Error(`No task has ${only} in its name.`);
  const runner = {
    open: createHistoryTasks(histories, scratch.path),
    cacheDir: join(scratch.path, "cache"),
    children,
  };
  if (model === undefined)
    return { ...(await compareScripts(cases, runner)), isPartial: only !== "" };
  const { openFor, price } = await openAgent(model);
  const runs = await runTasks(cases, openFor, runner);
  const body = describeRuns(runs, price);
  await writeEvaluation(options, "tasks", { data: runs, markdown: body });
  return { title: `Tasks from real changes: ${model}`, limits: [], body, isPartial: true };
}

/** The model for a task. */
type OpenAgent = (person: readonly FileChange[]) => AgentModel;

async function openAgent(
  name: string,
): Promise<{ readonly openFor: OpenAgent; readonly price: ModelPrice | undefined }> {
  if (isScriptedAgent(name)) {
    return { openFor: (person) => scriptAgent(name, person), price: undefined };
  }
  const { model, price } = await openEvaluatedModel(name);
  return { openFor: () => model, price };
}

export interface TaskRunner {
  readonly open: OpenTask;
  readonly cacheDir: string;
  readonly children: RenderChildren;
}

export interface TaskRun extends TaskScore, Spent {
  readonly task: string;
  readonly site: string;
  readonly prompt: string;
  readonly outcome: TurnOutcome["outcome"];
  readonly summary: string | null;
  readonly changed: readonly string[];
}

/** Runs tasks one after the other. */
export async function runTasks(
  cases: readonly TaskCase[],
  openFor: OpenAgent,
  runner: TaskRunner,
): Promise<readonly TaskRun[]> {
  const runs: TaskRun[] = [];
  for (const task of cases) {
    const site = await runner.open(task);
    const run = await runTask(task, { site, model: openFor(site.person), runner });
    progress(`${run.task}: ${run.isDone ? "done" : run.faults.join("; ").slice(0, 300)}`);
    runs.push(run);
  }
  return runs;
}

async function runTask(
  task: TaskCase,
  {
    site: { checkout, siteDir, person },
    model,
    runner: { cacheDir, children },
  }: { readonly site: TaskSite; readonly model: AgentModel; readonly runner: TaskRunner },
): Promise<TaskRun> {
  const startedAt = performance.now();
  const folder = join(checkout, siteDir);
  const read = (file: string) => readOptional(join(folder, file));
  const originals = new Map([...listAllowedFiles(task)].map((file) => [file, read(file)]));
  const turn = await performTurn({
    checkout,
    siteDir,
    model,
    instruction: { id: "1", text: task.prompt },
    transcript: createMemoryTranscript(),
    limits: defaultAgentLimits,
    pullRequest: { convention: "plain" },
    history: await createFolderHistory({ folder }).readContentHistory(),
    cacheDir,
    workers: 1,
    children,
    signal: new AbortController().signal,
  });
  const { outcome, summary, error, usage, problems } = turn;
  // The service publishes only what a completed turn changed.
  const published = outcome === "completed" ? turn.changes : [];
  const paths = published.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from]));
  const changes = paths.map((path) => ({
    path,
    before: originals.get(path) ?? null,
    after: read(path) ?? null,
  }));
  const score = scoreTask(task, {
    changes,
    person,
    read,
    newProblems: (problems?.added ?? []).map(({ file, message }) => `${file}: ${message}`),
    error: error?.message,
  });
  return {
    task: task.name,
    site: task.site,
    prompt: task.prompt,
    outcome,
    summary,
    changed: changes.map(({ path }) => path),
    ...score,
    ...usage,
    seconds: (performance.now() - startedAt) / 1_000,
  };
}

function readOptional(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

const head = ["task", "done", "wrong", ...spentHead];
const yes = (is: boolean) => (is ? "yes" : "");

/** Formats runs as a table, and below it what was missing or wrong. */
export function describeRuns(runs: readonly TaskRun[], price: ModelPrice | undefined): string {
  const rows = runs.map((run) => [
    run.task,
    yes(run.isDone),
    yes(run.isWrong),
    ...formatSpent(run, price),
  ]);
  const { done, wrong } = countRuns(runs);
  const all = [`all ${runs.length}`, String(done), String(wrong)];
  const faults = runs.flatMap(({ task, faults: list }) =>
    list.map((fault) => `- ${task}: ${fault.split("\n")[0]}`),
  );
  return [
    table(head, [...rows, [...all, ...formatSpent(addSpent(runs), price)]]),
    faults.length === 0 ? "Every task was done." : faults.join("\n"),
  ].join("\n\n");
}

function countRuns(runs: readonly TaskRun[]): { readonly done: number; readonly wrong: number } {
  return {
    done: runs.filter(({ isDone }) => isDone).length,
    wrong: runs.filter(({ isWrong }) => isWrong).length,
  };
}

/** Runs the scripted models: the person's change must be done, no change is neither, and a further page is wrong. */
async function compareScripts(cases: readonly TaskCase[], runner: TaskRunner): Promise<Section> {
  const rows: string[][] = [];
  const limits = [];
  const expected = {
    "scripted/person": { done: cases.length, wrong: 0 },
    "scripted/idle": { done: 0, wrong: 0 },
    "scripted/careless": { done: 0, wrong: cases.length },
  };
  const faults: string[] = [];
  for (const name of scriptedAgents) {
    const runs = await runTasks(cases, (person) => scriptAgent(name, person), runner);
    const { done, wrong } = countRuns(runs);
    const right = expected[name];
    rows.push([name, String(runs.length), String(done), String(wrong)]);
    limits.push({
      name: `tasks from real changes, ${name}: done and wrong`,
      limit: `${right.done} and ${right.wrong}`,
      measured: `${done} and ${wrong}`,
      holds: done === right.done && wrong === right.wrong,
    });
    if (name !== "scripted/person") continue;
    faults.push(...runs.flatMap((run) => run.faults.map((fault) => `- ${run.task}: ${fault}`)));
  }
  const body = [table(["model", "tasks", "done", "wrong"], rows), ...faults].join("\n\n");
  return { title: "Tasks from real changes", limits, body };
}
