import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { fullPlan, organizationPlans } from "../../core/index.ts";
import type { OrganizationPlan } from "../../core/index.ts";
import type { Organization } from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { addDataFlags, runWithRecords } from "../service-flags.ts";
import { formatTable } from "../format.ts";
import type { Records } from "../../node/index.ts";

interface OrganizationFlags {
  readonly plan?: string;
  readonly json?: true;
}

const planHelp = "free, pro or enterprise";

export function defineOrganizations(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages organizations and their plans. Static export requires the enterprise plan.",
    )
    .addHelpText("after", formatExamples("orgs list", "orgs create Acme --plan pro"));

  addDataFlags(group.command("create"))
    .summary("create an organization")
    .description("Creates an organization.")
    .addHelpText("after", formatExamples("orgs create Acme --plan pro"))
    .argument("<name>", "name of the organization")
    .option("--plan <plan>", planHelp, fullPlan)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((name: string, flags: OrganizationFlags) => createOrganization(context, name, flags));

  addDataFlags(group.command("list"))
    .summary("list all organizations")
    .description("Lists all organizations, oldest first.")
    .addHelpText("after", formatExamples("orgs list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: OrganizationFlags) =>
      runWithRecords(context, { ...flags }, async ({ organizations }) => {
        const all = await organizations.list();
        const rows = all.map(({ id, plan, createdAt, name }) => [
          id,
          plan,
          createdAt.toISOString(),
          name,
        ]);
        const lines = flags.json
          ? [JSON.stringify(all)]
          : formatTable(["ID", "PLAN", "CREATED", "NAME"], rows);
        for (const line of lines) context.terminal.print(line);
      }),
    );

  addDataFlags(group.command("set-plan"))
    .summary("change an organization's plan")
    .description(
      "Changes an organization's plan. The new plan applies to the next request of each key.",
    )
    .addHelpText("after", formatExamples("orgs set-plan <id> free"))
    .argument("<id>", "ID of the organization, from `octavo orgs list`")
    .argument("<plan>", planHelp)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((id: string, plan: string, flags: OrganizationFlags) =>
      runWithRecords(context, { ...flags }, async ({ organizations }) => {
        printOrganization(context, await organizations.setPlan(id, readPlan(plan)), flags);
      }),
    );
}

async function createOrganization(
  context: CommandContext,
  name: string,
  flags: OrganizationFlags,
): Promise<void> {
  const plan = readPlan(flags.plan ?? "");
  const create = async ({ organizations }: Records): Promise<void> =>
    printOrganization(context, await organizations.create(name, plan), flags);
  await runWithRecords(context, { ...flags }, create, { createsData: true });
}

function readPlan(text: string): OrganizationPlan {
  const plan = organizationPlans.find((name) => name === text);
  if (plan !== undefined) return plan;
  throw new OctavoError(
    "invalid_input",
    `The plan must be ${planHelp}, not ${JSON.stringify(text)}.`,
  );
}

function printOrganization(
  { terminal }: CommandContext,
  organization: Organization,
  { json }: OrganizationFlags,
): void {
  const { id, name, plan } = organization;
  terminal.print(json ? JSON.stringify(organization) : `${id}  ${plan}  ${name}`);
}
