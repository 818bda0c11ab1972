import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { Organization, Plan } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { table } from "./table.ts";
import type { Records } from "./records.ts";

interface OrganizationFlags {
  readonly plan?: string;
  readonly json?: true;
}

const planHelp = "free, pro or enterprise";

export function addOrganizations(program: Command, context: CommandContext): void {
  const group = program
    .command("orgs")
    .description("organisations and their plans; static export needs enterprise");

  addDataFlags(group.command("create"))
    .description("Make an organisation.")
    .argument("<name>", "for people")
    .option("--plan <plan>", planHelp, "enterprise")
    .option("--json", "one JSON object")
    .action((name: string, flags: OrganizationFlags) => makeOrganization(context, name, flags));

  addDataFlags(group.command("list"))
    .description("All organisations, oldest first.")
    .option("--json", "one JSON list")
    .action((flags: OrganizationFlags) =>
      withRecords(context, { ...flags }, async ({ organizations }) => {
        const all = await organizations.list();
        const rows = all.map((one) => [one.id, one.plan, one.createdAt.toISOString(), one.name]);
        const lines = flags.json
          ? [JSON.stringify(all)]
          : table(["ID", "PLAN", "CREATED", "NAME"], rows);
        for (const line of lines) context.terminal.print(line);
      }),
    );

  addDataFlags(group.command("set-plan"))
    .description("Change an organisation's plan; its keys are held to it from their next call on.")
    .argument("<id>", "organisation, as `octavo orgs list` shows it")
    .argument("<plan>", planHelp)
    .option("--json", "one JSON object")
    .action((id: string, plan: string, flags: OrganizationFlags) =>
      withRecords(context, { ...flags }, async ({ organizations }) => {
        show(context, await organizations.setPlan(id, await readPlan(plan)), flags);
      }),
    );
}

async function makeOrganization(
  context: CommandContext,
  name: string,
  flags: OrganizationFlags,
): Promise<void> {
  const plan = await readPlan(flags.plan ?? "");
  const make = async ({ organizations }: Records): Promise<void> =>
    show(context, await organizations.create(name, plan), flags);
  await withRecords(context, { ...flags }, make, { makesData: true });
}

async function readPlan(text: string): Promise<Plan> {
  const { plans } = await import("../projects/index.ts");
  const plan = plans.find((known) => known === text);
  if (plan !== undefined) return plan;
  throw new OctavoError("invalid_input", `A plan is ${planHelp}, not ${JSON.stringify(text)}.`);
}

function show(
  { terminal }: CommandContext,
  organization: Organization,
  { json }: OrganizationFlags,
): void {
  const { id, name, plan } = organization;
  terminal.print(json ? JSON.stringify(organization) : `${id}  ${plan}  ${name}`);
}
