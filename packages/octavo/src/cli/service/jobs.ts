import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import { formatDollars } from "../../core/index.ts";
import type { formatToolCall } from "../../agent/index.ts";
import type { AgentJob, AgentStep } from "../../jobs/index.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";
import type { CommandContext } from "../context.ts";
import { listAll } from "./list-all.ts";
import { findProjectId, projectArgument } from "./project-argument.ts";
import { formatExamples } from "../flags.ts";
import { exitCodes } from "../exit-codes.ts";
import { stripControls, stripControlsFromLines } from "../site/problem-lines.ts";
import { formatTable } from "../format.ts";

interface PromptFlags extends ClientFlags {
  readonly watch?: true;
}

interface ListFlags extends ClientFlags {
  readonly status?: string;
}

/** The path of a job in the API, with a client that can call it. */
interface JobContext {
  readonly client: Client;
  readonly path: string;
}

const idArgument = ["<id>", "ID of the job, from `octavo jobs list`"] as const;
const watchFlag = ["--watch", "follow the job until it ends"] as const;

export function defineJobs(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages agent jobs on a running service. Agents edit sites and open a pull request for each job.",
    )
    .addHelpText(
      "after",
      formatExamples(
        'jobs create docs.example.com "Fix the broken links" --watch',
        "jobs list docs.example.com",
      ),
    );
  addCreate(group, context);
  addMessage(group, context);

  addClientFlags(group.command("list"))
    .summary("list the jobs of a project")
    .description("Lists the agent jobs of a project, newest first.")
    .argument(...projectArgument)
    .option("--status <status>", "active, completed, archived or failed")
    .addHelpText("after", formatExamples("jobs list docs.example.com --status active"))
    .action(async (project: string, flags: ListFlags) => {
      const client = await openServiceClient(context, flags);
      const path = `${await resolveProjectPath(client, project)}/jobs`;
      const query = flags.status === undefined ? {} : { status: flags.status };
      listJobs(context, flags, await listAll<AgentJob>(client, path, "jobs", query));
    });

  const actions = [
    ["show", "show a job", "Shows a job."],
    ["cancel", "cancel a job", "Cancels an active job."],
    [
      "archive",
      "archive a job",
      "Archives a job that has ended. The job then accepts no more messages.",
    ],
  ] as const;
  for (const [name, summary, description] of actions) {
    addClientFlags(group.command(name))
      .summary(summary)
      .description(description)
      .argument(...projectArgument)
      .argument(...idArgument)
      .addHelpText("after", formatExamples(`jobs ${name} docs.example.com <id>`))
      .action(async (project: string, id: string, flags: ClientFlags) => {
        const { client, path } = await openJobContext(context, flags, { project, id });
        const call: readonly [string, string] =
          name === "show" ? ["GET", path] : ["POST", `${path}/${name}`];
        showJob(context, flags, (await client.call(...call)) as AgentJob);
      });
  }

  addClientFlags(group.command("watch"))
    .summary("follow a job until it ends")
    .description("Shows the steps of a job until it ends. Exits with 1 if the job failed.")
    .argument(...projectArgument)
    .argument(...idArgument)
    .addHelpText("after", formatExamples("jobs watch docs.example.com <id>"))
    .action(async (project: string, id: string, flags: ClientFlags) => {
      await follow(context, flags, await openJobContext(context, flags, { project, id }));
    });

  addClientFlags(group.command("diff"))
    .summary("show what a job changed")
    .description("Prints a job's changes as a diff in git's format.")
    .argument(...projectArgument)
    .argument(...idArgument)
    .addHelpText("after", formatExamples("jobs diff docs.example.com <id>"))
    .action(async (project: string, id: string, flags: ClientFlags) => {
      const { client, path } = await openJobContext(context, flags, { project, id });
      const diff = ((await client.call("GET", `${path}/diff`)) ?? "") as string;
      if (flags.json) context.terminal.print(JSON.stringify({ diff }));
      else if (diff !== "") context.terminal.print(diff.replace(/\n$/, ""));
    });
}

function addCreate(group: Command, context: CommandContext): void {
  addClientFlags(group.command("create"))
    .summary("create a job")
    .description("Creates an agent job from a prompt.")
    .argument(...projectArgument)
    .argument("<prompt>", "what to do, in plain words")
    .option(...watchFlag)
    .addHelpText("after", formatExamples('jobs create docs.example.com "Fix the broken links"'))
    .action(async (project: string, prompt: string, flags: PromptFlags) => {
      const client = await openServiceClient(context, flags);
      const base = await resolveProjectPath(client, project);
      const job = (await client.call("POST", `${base}/job`, { prompt })) as AgentJob;
      if (!flags.watch) return showJob(context, flags, job);
      context.terminal.note(`Created ${job.id}.`);
      await follow(context, flags, { client, path: `${base}/job/${job.id}` });
    });
}

function addMessage(group: Command, context: CommandContext): void {
  addClientFlags(group.command("message"))
    .summary("send a job another instruction")
    .description("Sends a message to a job. The job continues and adds to the same pull request.")
    .argument(...projectArgument)
    .argument(...idArgument)
    .argument("<prompt>", "what to do, in plain words")
    .option(...watchFlag)
    .addHelpText("after", formatExamples('jobs message docs.example.com <id> "Mention the limits"'))
    .action(async (project: string, id: string, prompt: string, flags: PromptFlags) => {
      const job = await openJobContext(context, flags, { project, id });
      const response = await job.client.call("POST", `${job.path}/message`, { prompt });
      if (flags.watch) await follow(context, flags, job);
      else showJob(context, flags, response as AgentJob);
    });
}

async function openJobContext(
  context: CommandContext,
  flags: ClientFlags,
  { project, id }: { readonly project: string; readonly id: string },
): Promise<JobContext> {
  const client = await openServiceClient(context, flags);
  return {
    client,
    path: `${await resolveProjectPath(client, project)}/job/${encodeURIComponent(id)}`,
  };
}

/** Returns the API path of a project's agent jobs. */
async function resolveProjectPath(client: Client, project: string): Promise<string> {
  return `/v2/agent/${await findProjectId(client, project)}`;
}

/** Shows the job's steps until it ends, and then the job itself. */
async function follow(
  context: CommandContext,
  flags: ClientFlags,
  { client, path }: JobContext,
): Promise<void> {
  // The module is loaded here, because other commands need only the types of jobs (0.2 s).
  const agents = await import("../../agent/index.ts");
  for await (const { type, data } of client.events(`${path}/events`)) {
    const line = type === "step" ? formatStep(data as AgentStep, agents.formatToolCall) : undefined;
    if (line !== undefined) context.terminal.note(line);
  }
  const job = (await client.call("GET", path)) as AgentJob;
  showJob(context, flags, job);
  if (job.status === "failed") context.setExitCode(exitCodes.failed);
}

const maxLineLength = 160;

function formatStep(step: AgentStep, formatCall: typeof formatToolCall): string | undefined {
  if (step.type === "tool") return shorten(`- ${formatCall(step)}`);
  const { text } = step;
  // The last text of a turn is its summary, which is shown in full with the job at the end.
  if (step.type === "model")
    return text === "" || step.calls.length === 0 ? undefined : shorten(`# ${text}`);
  return shorten(`${step.type === "message" ? "!" : "="} ${text}`);
}

function shorten(text: string): string {
  const clean = stripControls(text).trim();
  return clean.length > maxLineLength ? `${clean.slice(0, maxLineLength)}…` : clean;
}

function listJobs(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  jobs: readonly AgentJob[],
): void {
  const rows = jobs.map(({ id, status, model, createdAt, prLink }) => [
    id,
    status,
    model,
    createdAt,
    prLink,
  ]);
  const headings = ["ID", "STATUS", "MODEL", "CREATED", "PULL REQUEST"];
  const lines = json ? [JSON.stringify(jobs)] : formatTable(headings, rows);
  for (const line of lines) terminal.print(line);
}

function showJob({ terminal }: CommandContext, { json }: ClientFlags, job: AgentJob): void {
  if (json) return terminal.print(JSON.stringify(job));
  const { id, status, source, model, usage, prLink, summary, error, waitingFor } = job;
  const facts = {
    id,
    status,
    branch: source.ref,
    model,
    tokens: `${usage.inputTokens} in, ${usage.outputTokens} out`,
    ...(usage.costUsd !== undefined && { cost: formatDollars(usage.costUsd) }),
    "pull request": prLink,
    "waiting for": waitingFor,
    error,
  };
  for (const [fact, value] of Object.entries(facts)) {
    if (value) terminal.print(`${`${fact}:`.padEnd(14)}${stripControls(value)}`);
  }
  if (summary !== null) terminal.print(`\n${stripControlsFromLines(summary)}`);
}
