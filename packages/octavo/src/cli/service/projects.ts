import type { CodeHostName } from "../../core/index.ts";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { formatWrittenSource, parseWrittenSource } from "../../core/index.ts";
import type { ProjectFields, RepositoryCredentials, Project } from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { readList } from "../site/export-settings.ts";
import { formatExamples } from "../examples.ts";
import { projectPlaces } from "./managed-projects.ts";
import type { ManagedProjects } from "./managed-projects.ts";
import { addPlaceFlags, withPlace } from "./place-flags.ts";
import type { PlaceFlags } from "./place-flags.ts";
import {
  addPullRequestFlags,
  pullRequestFacts,
  readPullRequestFlags,
} from "./pull-request-flags.ts";
import type { PullRequestFlags } from "./pull-request-flags.ts";
import { sourceFlag } from "../source-flag.ts";
import { formatTable } from "../table.ts";

interface ProjectFlags extends PlaceFlags {
  readonly json?: true;
}

interface SigningFlags {
  readonly signingKey?: string;
}

interface CreateFlags extends ProjectFlags, PullRequestFlags, SigningFlags {
  readonly name: string;
  readonly domain: string;
  readonly repository: string;
  readonly ref?: string;
  readonly directory?: string;
  readonly remoteScripts?: string;
  readonly codeHost?: string;
  readonly username?: string;
  readonly tokenStdin?: true;
  readonly sshKey?: string;
  readonly source?: readonly string[];
}

const signingFlag = [
  "--signing-key <file>",
  "SSH private key that signs commits, without a passphrase",
] as const;

export function defineProjects(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages an organisation's projects: its sites, and the repositories they come from. With --url those of a running service, else those in the data folder.",
    )
    .addHelpText("after", formatExamples("projects list", "projects show <id>"));
  addCreate(group, context);

  addPlaceFlags(group.command("list"))
    .summary("list the projects")
    .description("Lists the projects of an organisation, newest first.")
    .addHelpText("after", formatExamples("projects list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: ProjectFlags) =>
      withPlace(context, flags, projectPlaces, (projects) =>
        listProjects(context, projects, flags),
      ),
    );

  addPlaceFlags(group.command("show"))
    .summary("show a project")
    .description("Shows a project.")
    .addHelpText("after", formatExamples("projects show <id>"))
    .argument("<id>", "ID of the project, as projects list shows it")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((id: string, flags: ProjectFlags) =>
      withPlace(context, flags, projectPlaces, async (projects) => {
        showProject(context, await projects.get(id), flags);
      }),
    );

  addPullRequestFlags(addPlaceFlags(group.command("set-pull-requests")))
    .summary("change how a project's agent jobs open pull requests")
    .description(
      "Changes how a project's agent jobs open pull requests. What no flag names stays; an empty value takes a setting back.",
    )
    .addHelpText(
      "after",
      formatExamples("projects set-pull-requests <id> --draft --labels docs --reviewers acme/docs"),
    )
    .argument("<id>", "ID of the project, as projects list shows it")
    .option("--json", "print the result, or the error, as one JSON object")
    .option(...signingFlag)
    .action((id: string, flags: ProjectFlags & PullRequestFlags & SigningFlags) =>
      withPlace(context, flags, projectPlaces, async (projects) => {
        const pullRequests = readPullRequestFlags(flags);
        const signingKey = await readSigningKey(context, flags);
        const changes = { pullRequests, signingKey };
        showProject(context, await projects.update(id, changes), flags);
      }),
    );

  addPlaceFlags(group.command("delete"))
    .summary("delete a project")
    .description("Deletes a project, its jobs, and the keys that are limited to it.")
    .addHelpText("after", formatExamples("projects delete <id>"))
    .argument("<id>", "ID of the project, as projects list shows it")
    .action((id: string, flags: ProjectFlags) =>
      withPlace(context, flags, projectPlaces, async (projects) => {
        await projects.remove(id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

function addCreate(group: Command, context: CommandContext): void {
  addPullRequestFlags(addPlaceFlags(group.command("create")))
    .summary("create a project")
    .description("Creates a project.")
    .requiredOption("--name <name>", "name of the project")
    .requiredOption("--domain <host>", "host name of the site, which names the project in requests")
    .requiredOption(
      "--repository <url>",
      "https or ssh address, or local for a new, empty repository that the service hosts",
    )
    .option("--ref <branch>", "branch of the site (default: the repository's)")
    .option("--directory <path>", "folder of the site in the repository (default: .)")
    .option("--remote-scripts <hosts>", "hosts that pages may ask, comma-separated (default: none)")
    .option("--code-host <host>", "where pull requests are opened: github or local")
    .option("--username <name>", "user name for https")
    .option("--token-stdin", "read the token or password for https from standard input")
    .option("--ssh-key <file>", "private key for ssh, without a passphrase")
    .option(...signingFlag)
    .option(...sourceFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .addHelpText(
      "after",
      formatExamples(
        "projects create --name Handbook --domain docs.example.com --repository https://github.com/example/handbook.git --directory docs",
        "projects create --name Inside --domain inside.example.com --repository https://git.example.com/inside.git --token-stdin < token",
      ),
    )
    .action(async (flags: CreateFlags) => {
      const credentials = await readCredentials(context, flags);
      const signingKey = await readSigningKey(context, flags);
      const fields = await readFields(flags, { credentials, signingKey });
      await withPlace(context, flags, projectPlaces, async (projects) => {
        showProject(context, await projects.create(fields), flags);
      });
    });
}

async function readFields(
  flags: CreateFlags,
  secrets: Pick<ProjectFields, "credentials" | "signingKey">,
): Promise<ProjectFields> {
  const { name, domain, repository, ref, directory } = flags;
  const codeHost = await readCodeHost(flags.codeHost);
  const pullRequests = readPullRequestFlags(flags);
  const sources = flags.source?.map((text) => parseWrittenSource(text));
  const own = { name, domain, repository, ref, directory, codeHost };
  const remoteScripts = readList(flags.remoteScripts);
  return { ...own, remoteScripts, pullRequests, sources, ...secrets };
}

async function readCodeHost(text: string | undefined): Promise<CodeHostName | undefined> {
  if (text === undefined) return undefined;
  const { codeHostNames } = await import("../../core/index.ts");
  const codeHost = codeHostNames.find((known) => known === text);
  if (codeHost !== undefined) return codeHost;
  const known = codeHostNames.join(" or ");
  throw new OctavoError("invalid_input", `--code-host is ${known}, not ${JSON.stringify(text)}.`);
}

/** Secrets come by standard input or from a file: arguments are seen by everybody on the machine. */
async function readCredentials(
  { invocationDir }: CommandContext,
  { username, tokenStdin, sshKey }: CreateFlags,
): Promise<RepositoryCredentials | undefined> {
  if (!tokenStdin && sshKey === undefined) {
    if (username === undefined) return undefined;
    throw new OctavoError("invalid_input", "--username needs a token beside it: --token-stdin.");
  }
  const password = tokenStdin ? (await text(process.stdin)).trim() : undefined;
  if (password === "") throw new OctavoError("invalid_input", "Standard input holds no token.");
  const privateKey =
    sshKey === undefined ? undefined : await readKey(resolve(invocationDir, sshKey));
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

/** Null takes the key back. */
async function readSigningKey(
  { invocationDir }: CommandContext,
  { signingKey }: SigningFlags,
): Promise<string | null | undefined> {
  if (signingKey === undefined || signingKey === "") return signingKey === "" ? null : undefined;
  return await readKey(resolve(invocationDir, signingKey));
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
  managed: ManagedProjects,
  flags: ProjectFlags,
): Promise<void> {
  const projects = await managed.list();
  const rows = projects.map(({ id, domain, repository, name }) => [id, domain, repository, name]);
  const lines = flags.json
    ? [JSON.stringify(projects)]
    : formatTable(["ID", "DOMAIN", "REPOSITORY", "NAME"], rows);
  for (const line of lines) terminal.print(line);
}

function showProject({ terminal }: CommandContext, project: Project, { json }: ProjectFlags): void {
  if (json) {
    terminal.print(JSON.stringify(project));
    return;
  }
  const { id, name, domain, repository, ref, directory, codeHost } = project;
  const own = { id, name, domain, repository, ref: ref ?? "(default)", directory, codeHost };
  const signing = project.signingPublicKey ?? "(not signed)";
  const facts = { ...own, ...pullRequestFacts(project.pullRequests), signing };
  for (const [fact, value] of Object.entries(facts)) {
    terminal.print(`${`${fact}:`.padEnd(12)}${value}`);
  }
  for (const source of project.sources) {
    terminal.print(`${"source:".padEnd(12)}${formatWrittenSource(source)}`);
  }
}
