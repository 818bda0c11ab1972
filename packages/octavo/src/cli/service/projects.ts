import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { commitConventions, formatSourceSpec, parseSourceSpec } from "../../core/index.ts";
import type { CodeHostName } from "../../core/index.ts";
import type {
  KeyScope,
  Project,
  ProjectChanges,
  ProjectFields,
  Projects,
  PullRequestSettingsChanges,
  PullRequestSettings,
  RepositoryCredentials,
} from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { readList } from "../site/export-settings.ts";
import { formatExamples, sourceFlag } from "../flags.ts";
import { addTargetFlags, runOnTarget } from "./target-flags.ts";
import type { TargetFlags, ManagementTargets } from "./target-flags.ts";
import { formatTable } from "../format.ts";
import type { Client } from "../../client/index.ts";
import { listAll, readAllPages } from "./list-all.ts";

interface ProjectFlags extends TargetFlags {
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
  readonly model?: string;
  readonly testModel?: boolean;
}

const noTestModelFlag = ["--no-test-model", "save the model without calling it once"] as const;

const signingFlag = [
  "--signing-key <file>",
  "SSH private key that signs commits, without a passphrase",
] as const;

/** The projects of one organization, local or remote. Throws in the same cases as `Projects`. */
interface ManagedProjects {
  create(fields: ProjectFields): Promise<Project>;
  get(id: string): Promise<Project>;
  list(): Promise<readonly Project[]>;
  update(id: string, changes: ProjectChanges): Promise<Project>;
  remove(id: string): Promise<void>;
}

const projectTargets: ManagementTargets<ManagedProjects> = {
  remote: createRemoteProjects,
  local: ({ projects }, scope) => createLocalProjects(projects, scope),
};

const projectsPath = "/v2/projects";

interface PullRequestFlags {
  readonly draft?: boolean;
  readonly labels?: string;
  readonly reviewers?: string;
  readonly branchPrefix?: string;
  readonly author?: string;
  readonly commits?: string;
}

const conventionHelp = `${commitConventions.join(", ")}, or history to follow the newest commits`;

export function defineProjects(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages an organization's projects: its sites and their repositories. With --url, these are the projects " +
        "of a running service, otherwise those in the data folder.",
    )
    .addHelpText("after", formatExamples("projects list", "projects show <id>"));
  addCreate(group, context);

  addTargetFlags(group.command("list"))
    .summary("list the projects")
    .description("Lists the projects of an organization, newest first.")
    .addHelpText("after", formatExamples("projects list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: ProjectFlags) =>
      runOnTarget(context, flags, projectTargets, (projects) =>
        listProjects(context, projects, flags),
      ),
    );

  addTargetFlags(group.command("show"))
    .summary("show a project")
    .description("Shows a project.")
    .addHelpText("after", formatExamples("projects show <id>"))
    .argument("<id>", "ID of the project, from `octavo projects list`")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((id: string, flags: ProjectFlags) =>
      runOnTarget(context, flags, projectTargets, async (projects) => {
        showProject(context, await projects.get(id), flags);
      }),
    );

  addPullRequestFlags(addTargetFlags(group.command("set-pull-requests")))
    .summary("change how a project's agent jobs open pull requests")
    .description(
      "Changes how a project's agent jobs open pull requests. Settings without a flag do not change; an empty " +
        "value resets a setting.",
    )
    .addHelpText(
      "after",
      formatExamples("projects set-pull-requests <id> --draft --labels docs --reviewers acme/docs"),
    )
    .argument("<id>", "ID of the project, from `octavo projects list`")
    .option("--json", "print the result, or the error, as one JSON object")
    .option(...signingFlag)
    .action((id: string, flags: ProjectFlags & PullRequestFlags & SigningFlags) =>
      runOnTarget(context, flags, projectTargets, async (projects) => {
        const pullRequests = readPullRequestFlags(flags);
        const signingKey = await readSigningKey(context, flags);
        const changes = { pullRequests, signingKey };
        showProject(context, await projects.update(id, changes), flags);
      }),
    );

  addSetModel(group, context);

  addTargetFlags(group.command("delete"))
    .summary("delete a project")
    .description("Deletes a project, its jobs, and the keys that are limited to it.")
    .addHelpText("after", formatExamples("projects delete <id>"))
    .argument("<id>", "ID of the project, from `octavo projects list`")
    .action((id: string, flags: ProjectFlags) =>
      runOnTarget(context, flags, projectTargets, async (projects) => {
        await projects.remove(id);
        context.terminal.print(`Deleted ${id}.`);
      }),
    );
}

function addSetModel(group: Command, context: CommandContext): void {
  addTargetFlags(group.command("set-model"))
    .summary("change the model of a project's agent jobs")
    .description(
      "Changes the model of a project's agent jobs. The model is called once, with a few tokens, before it is saved.",
    )
    .addHelpText("after", formatExamples("projects set-model <id> anthropic/claude-sonnet-4-5"))
    .argument("<id>", "ID of the project, from `octavo projects list`")
    .argument("<provider/model>", 'the model; "" means the service\'s default')
    .option(...noTestModelFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((id: string, model: string, flags: ProjectFlags & Pick<CreateFlags, "testModel">) =>
      runOnTarget(context, flags, projectTargets, async (projects) => {
        const changes = { model: model === "" ? null : model, testModel: flags.testModel };
        showProject(context, await projects.update(id, changes), flags);
      }),
    );
}

function addCreate(group: Command, context: CommandContext): void {
  addPullRequestFlags(addTargetFlags(group.command("create")))
    .summary("create a project")
    .description("Creates a project.")
    .requiredOption("--name <name>", "name of the project")
    .requiredOption(
      "--domain <host>",
      "host name of the site, which identifies the project in requests",
    )
    .requiredOption(
      "--repository <url>",
      "https or ssh address, or local for a new, empty repository that the service hosts",
    )
    .option("--ref <branch>", "branch of the site (default: the repository's default branch)")
    .option("--directory <path>", "folder of the site in the repository (default: .)")
    .option(
      "--remote-scripts <hosts>",
      "hosts from which pages may load files, separated by commas (default: none)",
    )
    .option("--model <provider/model>", "model of agent jobs (default: the service's)")
    .option(...noTestModelFlag)
    .option(
      "--code-host <host>",
      "where pull requests are opened: github, gitlab, gitea (also Forgejo) or local",
    )
    .option("--username <name>", "username for https")
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
      await runOnTarget(context, flags, projectTargets, async (projects) => {
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
  const sources = flags.source?.map((text) => parseSourceSpec(text));
  const siteFields = { name, domain, repository, ref, directory, codeHost };
  const remoteScripts = readList(flags.remoteScripts);
  const { model, testModel } = flags;
  const modelFields = model === undefined ? {} : { model, testModel };
  return { ...siteFields, remoteScripts, pullRequests, sources, ...modelFields, ...secrets };
}

async function readCodeHost(text: string | undefined): Promise<CodeHostName | undefined> {
  if (text === undefined) return undefined;
  const { codeHostNames } = await import("../../core/index.ts");
  const codeHost = codeHostNames.find((name) => name === text);
  if (codeHost !== undefined) return codeHost;
  const known = codeHostNames.join(", ");
  throw new OctavoError(
    "invalid_input",
    `--code-host must be one of ${known}, not ${JSON.stringify(text)}.`,
  );
}

/** Reads the secrets from standard input or a file, because all users of the machine can see a command's arguments. */
async function readCredentials(
  { invocationDir }: CommandContext,
  { username, tokenStdin, sshKey }: CreateFlags,
): Promise<RepositoryCredentials | undefined> {
  if (!tokenStdin && sshKey === undefined) {
    if (username === undefined) return undefined;
    throw new OctavoError("invalid_input", "--username requires a token; add --token-stdin.");
  }
  const password = tokenStdin ? (await text(process.stdin)).trim() : undefined;
  if (password === "")
    throw new OctavoError("invalid_input", "Standard input does not contain a token.");
  const privateKey =
    sshKey === undefined ? undefined : await readKey(resolve(invocationDir, sshKey));
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(privateKey === undefined ? {} : { privateKey }),
  };
}

/** Returns the key in the file; null removes the stored key. */
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
  const model = project.model ?? "(the service's)";
  const general = {
    id,
    name,
    domain,
    repository,
    ref: ref ?? "(default)",
    directory,
    codeHost,
    model,
  };
  const signing = project.signingPublicKey ?? "(not signed)";
  const facts = { ...general, ...describePullRequestSettings(project.pullRequests), signing };
  for (const [fact, value] of Object.entries(facts)) {
    terminal.print(`${`${fact}:`.padEnd(12)}${value}`);
  }
  for (const source of project.sources) {
    terminal.print(`${"source:".padEnd(12)}${formatSourceSpec(source)}`);
  }
}

function createLocalProjects(projects: Projects, scope: KeyScope): ManagedProjects {
  return {
    create: (fields) => projects.create(scope.organizationId, fields),
    get: (id) => projects.get(scope, id),
    list: () => readAllPages((page) => projects.list(scope, page)),
    update: (id, changes) => projects.update(scope, id, changes),
    remove: (id) => projects.remove(scope, id),
  };
}

function createRemoteProjects(client: Client): ManagedProjects {
  const call = async (method: string, path: string, fields?: ProjectChanges) =>
    (await client.call(method, path, fields && toRequestBody(fields))) as Project;
  return {
    create: (fields) => call("POST", projectsPath, fields),
    get: (id) => call("GET", getProjectPath(id)),
    list: () => listAll<Project>(client, projectsPath, "projects"),
    update: (id, changes) => call("PATCH", getProjectPath(id), changes),
    remove: async (id) => void (await call("DELETE", getProjectPath(id))),
  };
}

function getProjectPath(id: string): string {
  return `${projectsPath}/${encodeURIComponent(id)}`;
}

/** Returns the fields in the form that the API accepts. */
function toRequestBody({ credentials, ...fields }: ProjectChanges): object {
  if (credentials === undefined) return fields;
  return { ...fields, credentials: credentials && toCredentialsBody(credentials) };
}

function toCredentialsBody({ username, password, privateKey }: RepositoryCredentials): unknown {
  if (privateKey !== undefined) return { privateKey };
  return username === undefined ? password : { username, password };
}

/** Adds the flags that set how agent jobs open pull requests. An empty value resets a setting. */
function addPullRequestFlags(command: Command): Command {
  return command
    .option("--draft", "open pull requests as drafts")
    .option("--no-draft", "open pull requests ready for review")
    .option("--labels <names>", "labels of pull requests, separated by commas")
    .option(
      "--reviewers <names>",
      "reviewers of pull requests: users and teams (organization/team), separated by commas",
    )
    .option("--branch-prefix <text>", "prefix of branch names (default: octavo/)")
    .option("--author <person>", 'author of commits: "Docs Bot <docs@example.com>"')
    .option("--commits <convention>", `titles of commits: ${conventionHelp}`);
}

/** Returns the settings that the flags change, or undefined if the flags change nothing. */
function readPullRequestFlags(flags: PullRequestFlags): PullRequestSettingsChanges | undefined {
  const { draft, labels, reviewers, branchPrefix, author, commits } = flags;
  const changes: PullRequestSettingsChanges = {
    ...(draft !== undefined && { draft }),
    ...(labels !== undefined && { labels: parseNames(labels) }),
    ...(reviewers !== undefined && { reviewers: parseNames(reviewers) }),
    ...(branchPrefix !== undefined && { branchPrefix: branchPrefix || null }),
    ...(author !== undefined && { author: readAuthor(author) }),
    ...(commits !== undefined && { commitConvention: readConvention(commits) }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** Returns the settings as text, keyed by the names that the command prints. */
function describePullRequestSettings(
  settings: PullRequestSettings,
): Readonly<Record<string, string>> {
  const { draft, labels, reviewers, branchPrefix, author, commitConvention } = settings;
  return {
    drafts: draft ? "yes" : "no",
    labels: labels.join(", ") || "(none)",
    reviewers: reviewers.join(", ") || "(none)",
    branches: `${branchPrefix}...`,
    author: author ? `${author.name} <${author.email}>` : "(this service)",
    commits: commitConvention ?? "(like the newest commits)",
  };
}

function parseNames(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

function readAuthor(text: string): PullRequestSettingsChanges["author"] {
  if (text.trim() === "") return null;
  const [, name, email] = /^([^<>]+)<([^<>]+)>\s*$/.exec(text) ?? [];
  if (name !== undefined && email !== undefined) return { name: name.trim(), email: email.trim() };
  throw new OctavoError(
    "invalid_input",
    `--author must be a name and an email address, "Docs Bot <docs@example.com>", not ${JSON.stringify(text)}.`,
  );
}

function readConvention(text: string): PullRequestSettingsChanges["commitConvention"] {
  if (text === "history") return null;
  const convention = commitConventions.find((name) => name === text);
  if (convention !== undefined) return convention;
  throw new OctavoError(
    "invalid_input",
    `--commits must be ${conventionHelp}, not ${JSON.stringify(text)}.`,
  );
}
