import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import type { CodeHostName, RepositoryCredentials, Project } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { everyPage } from "./every-page.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { table } from "./table.ts";
import type { Records } from "./records.ts";

interface ProjectFlags {
  readonly org?: string;
  readonly json?: true;
}

interface CreateFlags extends ProjectFlags {
  readonly name: string;
  readonly domain: string;
  readonly repository: string;
  readonly ref?: string;
  readonly directory?: string;
  readonly codeHost?: string;
  readonly username?: string;
  readonly tokenStdin?: true;
  readonly sshKey?: string;
}

export function addProjects(program: Command, context: CommandContext): void {
  const group = program
    .command("projects")
    .description("sites of an organisation, and where they come from");
  addCreate(group, context);

  addDataFlags(group.command("list"))
    .description("All projects of an organisation, newest first.")
    .option(...organizationFlag)
    .option("--json", "one JSON list")
    .action((flags: ProjectFlags) =>
      withRecords(context, { ...flags }, (records) => listProjects(context, records, flags)),
    );

  addDataFlags(group.command("show"))
    .description("One project.")
    .argument("<id>", "the project's ID, as `octavo projects list` shows it")
    .option(...organizationFlag)
    .option("--json", "one JSON object")
    .action((id: string, flags: ProjectFlags) =>
      withRecords(context, { ...flags }, async (records) => {
        const scope = await chooseOrganization(records, flags.org);
        showProject(context, await records.projects.get(scope, id), flags);
      }),
    );

  addDataFlags(group.command("delete"))
    .description("Delete a project with its jobs and the keys that are limited to it.")
    .argument("<id>", "the project's ID, as `octavo projects list` shows it")
    .option(...organizationFlag)
    .action((id: string, flags: ProjectFlags) =>
      withRecords(context, { ...flags }, async (records) => {
        await records.projects.remove(await chooseOrganization(records, flags.org), id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

function addCreate(group: Command, context: CommandContext): void {
  addDataFlags(group.command("create"))
    .description("Make a project.")
    .requiredOption("--name <name>", "for people")
    .requiredOption("--domain <host>", "host name by which exports name the project")
    .requiredOption(
      "--repository <url>",
      "https or ssh address, or local for an empty repository that the service keeps",
    )
    .option("--ref <branch>", "branch of the site; the repository's own when absent")
    .option("--directory <path>", "folder of the site in the repository (.)")
    .option("--code-host <host>", "where pull requests are opened: github or local")
    .option("--username <name>", "user for https")
    .option("--token-stdin", "read the token or password for https from standard input")
    .option("--ssh-key <file>", "private key for ssh, without a passphrase")
    .option(...organizationFlag)
    .option("--json", "one JSON object")
    .addHelpText(
      "after",
      `
Examples:
  octavo projects create --name Handbook --domain docs.example.com \\
    --repository https://github.com/example/handbook.git --directory docs
  octavo projects create --name Inside --domain inside.example.com \\
    --repository https://git.example.com/inside.git --token-stdin < token`,
    )
    .action(async (flags: CreateFlags) => {
      const credentials = await readCredentials(context, flags);
      await withRecords(context, { ...flags }, async (records) => {
        showProject(context, await createProject(records, flags, credentials), flags);
      });
    });
}

async function createProject(
  records: Records,
  flags: CreateFlags,
  credentials: RepositoryCredentials | undefined,
): Promise<Project> {
  const { organizationId } = await chooseOrganization(records, flags.org);
  const { name, domain, repository, ref, directory } = flags;
  const codeHost = await readCodeHost(flags.codeHost);
  const fields = { name, domain, repository, ref, directory, codeHost, credentials };
  return await records.projects.create(organizationId, fields);
}

async function readCodeHost(text: string | undefined): Promise<CodeHostName | undefined> {
  if (text === undefined) return undefined;
  const { codeHosts } = await import("../projects/index.ts");
  const codeHost = codeHosts.find((known) => known === text);
  if (codeHost !== undefined) return codeHost;
  const known = codeHosts.join(" or ");
  throw new OctavoError("invalid_input", `--code-host is ${known}, not ${JSON.stringify(text)}.`);
}

/** Secrets come by standard input or from a file: arguments are seen by everybody on the machine. */
async function readCredentials(
  { standing }: CommandContext,
  { username, tokenStdin, sshKey }: CreateFlags,
): Promise<RepositoryCredentials | undefined> {
  if (!tokenStdin && sshKey === undefined) {
    if (username === undefined) return undefined;
    throw new OctavoError("invalid_input", "--username needs a token beside it: --token-stdin.");
  }
  const password = tokenStdin ? (await text(process.stdin)).trim() : undefined;
  if (password === "") throw new OctavoError("invalid_input", "Standard input holds no token.");
  const privateKey = sshKey === undefined ? undefined : await readKey(resolve(standing, sshKey));
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

async function readKey(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new OctavoError("invalid_input", `The key ${file} cannot be read.`, { cause });
  }
}

async function listProjects(
  { terminal }: CommandContext,
  records: Records,
  flags: ProjectFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const projects = await everyPage((page) => records.projects.list(scope, page));
  const rows = projects.map(({ id, domain, repository, name }) => [id, domain, repository, name]);
  const lines = flags.json
    ? [JSON.stringify(projects)]
    : table(["ID", "DOMAIN", "REPOSITORY", "NAME"], rows);
  for (const line of lines) terminal.print(line);
}

function showProject({ terminal }: CommandContext, project: Project, { json }: ProjectFlags): void {
  if (json) {
    terminal.print(JSON.stringify(project));
    return;
  }
  const { id, name, domain, repository, ref, directory, codeHost } = project;
  const facts = { id, name, domain, repository, ref: ref ?? "(default)", directory, codeHost };
  for (const [fact, value] of Object.entries(facts)) {
    terminal.print(`${`${fact}:`.padEnd(12)}${value}`);
  }
}
