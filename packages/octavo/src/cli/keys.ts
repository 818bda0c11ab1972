import type { Command } from "commander";
import type { ApiKey } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./examples.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { everyPage } from "./every-page.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { formatTable } from "./table.ts";
import type { Records } from "./records.ts";

interface KeyFlags {
  readonly name?: string;
  readonly org?: string;
  readonly project?: string;
  readonly json?: true;
}

export function defineKeys(group: Command, context: CommandContext): void {
  group
    .description("Manages an organisation's API keys.")
    .addHelpText("after", formatExamples("keys create --name ci", "keys list"));

  addDataFlags(group.command("create"))
    .summary("create a key")
    .description("Creates a key. Its secret is shown only once: just a hash of it is kept.")
    .addHelpText("after", formatExamples("keys create --name ci --project <id>"))
    .requiredOption("--name <name>", "what the key is for")
    .option("--project <id>", "limit the key to one project")
    .option(...organizationFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => createKey(context, records, flags)),
    );

  addDataFlags(group.command("list"))
    .summary("list the keys")
    .description("Lists the keys that are valid, newest first.")
    .addHelpText("after", formatExamples("keys list"))
    .option(...organizationFlag)
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => listKeys(context, records, flags)),
    );

  addDataFlags(group.command("revoke"))
    .summary("revoke a key")
    .description("Revokes a key, at once and on every node.")
    .addHelpText("after", formatExamples("keys revoke <id>"))
    .argument("<id>", "ID of the key, as keys list shows it")
    .option(...organizationFlag)
    .action((id: string, flags: KeyFlags) =>
      withRecords(context, { ...flags }, async (records) => {
        await records.keys.revoke(await chooseOrganization(records, flags.org), id);
        context.terminal.print(`Revoked ${id}.`);
      }),
    );
}

async function createKey(
  { terminal }: CommandContext,
  records: Records,
  flags: KeyFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const { project: projectId = null } = flags;
  // Says that there is no such project before a key is made for it.
  if (projectId !== null) await records.projects.get(scope, projectId);
  const { secret, ...key } = await records.keys.create({ ...scope, projectId }, flags.name ?? "");
  if (flags.json) {
    terminal.print(JSON.stringify({ ...key, secret }));
    return;
  }
  terminal.note(`Created the key ${key.id}. This is its secret, which is not shown again:`);
  terminal.print(secret);
}

async function listKeys(
  { terminal }: CommandContext,
  records: Records,
  flags: KeyFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const keys = await everyPage((page) => records.keys.list(scope, page));
  const lines = flags.json
    ? [JSON.stringify(keys)]
    : formatTable(["ID", "KEY", "PROJECT", "LAST USED", "NAME"], keys.map(rowOf));
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, prefix, projectId, lastUsedAt, name }: ApiKey): (string | null)[] {
  return [id, `${prefix}…`, projectId, lastUsedAt?.toISOString() ?? null, name];
}
