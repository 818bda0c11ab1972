import type { Command } from "commander";
import type { Client } from "../../client/index.ts";
import { formatCount } from "../../core/index.ts";
import type { AddressedDeployment } from "../../jobs/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { formatTable } from "../format.ts";
import { stripControls } from "../site/problem-lines.ts";
import { listAll } from "./list-all.ts";
import { findProjectId, projectArgument } from "./project-argument.ts";
import { addClientFlags, openServiceClient } from "./target-flags.ts";
import type { ClientFlags } from "./target-flags.ts";

interface ListFlags extends ClientFlags {
  readonly status?: string;
}

const idArgument = ["<id>", "ID of the deployment, from `octavo deployments list`"] as const;

export function defineDeployments(group: Command, context: CommandContext): void {
  group
    .description("Manages what readers of published sites see, on a running service.")
    .addHelpText(
      "after",
      formatExamples("deployments list docs.example.com", "deployments publish <id>"),
    );

  addClientFlags(group.command("list"))
    .summary("list the deployments of a project")
    .description("Lists the deployments of a project, newest first.")
    .argument(...projectArgument)
    .option("--status <status>", "queued, building, ready, failed, superseded or removed")
    .addHelpText("after", formatExamples("deployments list docs.example.com --status failed"))
    .action(async (project: string, flags: ListFlags) => {
      const client = await openServiceClient(context, flags);
      const path = `/v2/projects/${await findProjectId(client, project)}/deployments`;
      const query = flags.status === undefined ? {} : { status: flags.status };
      const listed = await listAll<AddressedDeployment>(client, path, "deployments", query);
      listDeployments(context, flags, listed);
    });

  addClientFlags(group.command("show"))
    .summary("show a deployment")
    .description("Shows a deployment.")
    .argument(...idArgument)
    .addHelpText("after", formatExamples("deployments show <id>"))
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openServiceClient(context, flags);
      showDeployment(context, flags, await readDeployment(client, id));
    });

  addClientFlags(group.command("publish"))
    .summary("show a deployment to readers")
    .description(
      "Shows a ready deployment to readers, without building it again. After an older one is published, pushes are " +
        "not published until automatic publishing is turned on again in the dashboard.",
    )
    .argument(...idArgument)
    .addHelpText("after", formatExamples("deployments publish <id>"))
    .action(async (id: string, flags: ClientFlags) => {
      const client = await openServiceClient(context, flags);
      const path = `/v2/deployments/${encodeURIComponent(id)}/publish`;
      showDeployment(context, flags, (await client.call("POST", path)) as AddressedDeployment);
    });
}

export async function readDeployment(client: Client, id: string): Promise<AddressedDeployment> {
  const path = `/v2/deployments/${encodeURIComponent(id)}`;
  return (await client.call("GET", path)) as AddressedDeployment;
}

function listDeployments(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  deployments: readonly AddressedDeployment[],
): void {
  const rows = deployments.map(({ id, status, isLive, kind, commit, subject, createdAt }) => [
    id,
    isLive ? "live" : status,
    kind,
    commit?.slice(0, 7) ?? null,
    createdAt,
    subject === null ? null : stripControls(subject),
  ]);
  const headings = ["ID", "STATUS", "KIND", "COMMIT", "CREATED", "SUBJECT"];
  const lines = json ? [JSON.stringify(deployments)] : formatTable(headings, rows);
  for (const line of lines) terminal.print(line);
}

export function showDeployment(
  { terminal }: CommandContext,
  { json }: ClientFlags,
  deployment: AddressedDeployment,
): void {
  if (json) return terminal.print(JSON.stringify(deployment));
  const { id, status, isLive, kind, ref, commit, subject, author, pages, problems } = deployment;
  const facts = {
    id,
    status: isLive ? `${status}, live` : status,
    kind,
    ref,
    commit,
    subject,
    author,
    pages: pages === 0 ? null : String(pages),
    problems: problems && `${formatCount(problems.errors, "error")}, ${formatCount(problems.warnings, "warning")}`, // prettier-ignore
    created: deployment.createdAt,
    address: deployment.url,
    "waiting for": deployment.waitingFor,
    error: deployment.error,
  };
  for (const [fact, value] of Object.entries(facts)) {
    if (value) terminal.print(`${`${fact}:`.padEnd(13)}${stripControls(value)}`);
  }
}
