import { access, cp, mkdir, realpath, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
} from "node:fs";
import { pathToFileURL } from "node:url";
import type { Command } from "commander";
import { OctavoError, cleanRelativePath, resolveInside } from "@octavo/site/core";
import type {
  ChangedFile,
  DescribedRequest,
  FixedSource,
  GuideRepository,
  ModelEntry,
  TranscriptEntry,
  TurnOutcome,
  TurnSource,
  formatToolCall,
} from "../../agent/index.ts";
import { findUserCacheFolder, type Config } from "../../config/index.ts";
import { builtinModels } from "../../node/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples, sourceFlag } from "../flags.ts";
import { readConfig } from "../service-flags.ts";
import type { Terminal } from "../terminal.ts";
import { isRefName, parseSourceSpec, type SourceSpec, formatCount } from "../../core/index.ts";
import { formatProblemCounts, stripControls, stripControlsFromLines } from "./problem-lines.ts";
import { openScratchFolder } from "./render-command.ts";
import {
  asFolderFlag,
  findCacheFolder,
  findSite,
  siteArgument,
  type SiteFlags,
} from "./site-folder.ts";

interface AgentFlags extends SiteFlags {
  readonly model?: string;
  readonly write?: true;
  readonly showRequest?: true;
  readonly source?: readonly string[];
  readonly cache?: string | false;
}

/** Folders that are not part of a site and can be larger than the site. */
const excludedNames = new Set([".git", "node_modules"]);
const maxDiffBytes = 64 * 1024 * 1024;

export function defineAgent(command: Command, context: CommandContext): void {
  command
    .argument(...siteArgument)
    .description(
      "Carries out an instruction on a copy of a site, shows each step, and prints the changes as a diff. The site itself is changed only with --write.",
    )
    .argument("<prompt>", "what to do, in plain words")
    .option("--write", "write the changes to the site's folder")
    .option(
      "--model <provider/model>",
      "model to use (default: builtin/recipes, which requires no network)",
    )
    .option(...sourceFlag)
    .option("--show-request", "print the first request to the model without sending it")
    .option("--cache <dir>", "cache folder for rendered pages (default: ~/.cache/octavo)")
    .option("--no-cache", "render every page again")
    .option(...asFolderFlag)
    .addHelpText(
      "after",
      formatExamples(
        'agent docs "Fix the broken links"',
        'agent docs "Rename the page guides/start to guides/begin" --write',
        'agent docs "Bring the pages up to date with the changes since v2.1" --source ../engine@main:src --model anthropic/claude-sonnet-4-5',
        'agent docs "Shorten the quickstart" --model anthropic/claude-sonnet-4-5 > change.diff',
      ),
    )
    .action((site: string, prompt: string, flags: AgentFlags) =>
      runAgent(context, { site, prompt, flags }),
    );
}

async function runAgent(
  context: CommandContext,
  { site, prompt, flags }: { site: string; prompt: string; flags: AgentFlags },
): Promise<void> {
  const { terminal } = context;
  if (prompt.trim() === "")
    throw new OctavoError("invalid_input", "The prompt is blank; write what the agent should do.");
  const siteDir = await findSite(context, site, flags);
  const config = readConfig(context, flags.model === undefined ? {} : { model: flags.model });
  await using scratch = await openScratchFolder(context);
  const startedAt = Date.now();
  const { allow, models, agent } = config;
  const agents = await import("../../agent/index.ts");
  const signal = context.listenForInterruption();
  const { createFolderHistory } = await import("../../git/index.ts");
  const history = createFolderHistory({ folder: siteDir, searchPath: context.env["PATH"] });
  const { openModel } = await import("../../model/index.ts");
  const { createPageCamera } = await import("../../isolation/index.ts");
  const settings = {
    siteDir: ".",
    folder: relative(context.invocationDir, resolve(context.invocationDir, site)),
    repository: await findEnclosingRepository(siteDir, agents.createFolderReader),
    sources: await openNamedSources(context, {
      config,
      sources: flags.source ?? [],
      scratchDir: scratch.path,
      isCached: flags.cache !== false,
    }),
    model: await openModel(config.model, {
      ...models,
      allow,
      builtin: builtinModels,
      onWarning: (sentence) => terminal.note(`octavo: ${sentence}`),
    }),
    drawPage:
      config.browser &&
      createPageCamera({
        ...config.browser,
        onFailure: (sentence) => terminal.note(`octavo: ${sentence}`),
      }),
    limits: agent,
    cacheDir: findCacheFolder(context, siteDir, flags.cache) ?? join(scratch.path, "pages"),
    signal,
    // The history comes from the original repository, because the copy has no history.
    history: await history.readContentHistory(signal),
  };
  if (flags.showRequest) {
    const request = { ...settings, checkout: siteDir, message: prompt };
    return printRequest(terminal, await agents.describeRequest(request));
  }
  const writeTarget = { from: join(scratch.path, "site"), to: siteDir, startedAt };
  const copy = copySite(context, writeTarget, scratch.path);
  // Called only after everything is loaded, because Node finds no cached compiled code afterward.
  const { tuneForRendering } = await import("@octavo/site");
  const result = await agents.performTurn({
    ...settings,
    checkout: copy.dir,
    instruction: { id: "1", text: prompt },
    transcript: agents.createMemoryTranscript(),
    onRendering: tuneForRendering(),
    onEvent: (entry) => printStep(terminal, entry, agents.formatToolCall),
  });
  if (result.outcome === "cancelled") throw new OctavoError("cancelled", "Interrupted.");
  printDiff(terminal, await copy.diff(result.changes));
  if (result.error) {
    terminal.note(`octavo: ${stripControlsFromLines(result.error.message)}`);
    context.setExitCode(1);
    return;
  }
  if (flags.write) await writeChanges(result.changes, writeTarget);
  printOutcome(terminal, result, flags.write === true);
}

interface SiteCopy {
  readonly dir: string;
  diff(changes: readonly ChangedFile[]): Promise<string>;
}

function copySite(context: CommandContext, target: WriteTarget, scratch: string): SiteCopy {
  const { from: dir, to: siteDir } = target;
  copyFolder(siteDir, dir);
  return {
    dir,
    async diff(changes) {
      if (changes.length === 0) return "";
      // Git reads only the changed files, because it takes seconds to read a large site.
      const folder = join(scratch, "diff");
      const [before, after] = [join(folder, "a"), join(folder, "b")];
      for (const side of [before, after]) await mkdir(side, { recursive: true });
      for (const change of changes) {
        await refuseOverwriting(change, target);
        const { kind, path, from = path } = change;
        if (kind !== "added") await copyInto(before, siteDir, from);
        if (kind !== "deleted") await copyInto(after, dir, path);
      }
      const { diffFolders } = await import("../../git/index.ts");
      const searchPath = context.env["PATH"];
      return await diffFolders({ folder, maxBytes: maxDiffBytes, searchPath });
    },
  };
}

/** Copies one file with the folders around it. */
async function copyInto(to: string, from: string, path: string): Promise<void> {
  const target = resolveInside(to, path);
  await mkdir(dirname(target), { recursive: true });
  copyFileSync(resolveInside(from, path), target);
}

/**
 * Copies a folder with its symbolic links, without excluded folders. Synchronous calls are faster than `fs.cp`, which
 * makes several times as many system calls and waits for a thread at each.
 */
function copyFolder(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (excludedNames.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) copyFileSync(source, target);
  }
}

/** The changed copy, the site's folder to which its changes are written, and the time when the copy was made. */
interface WriteTarget {
  readonly from: string;
  readonly to: string;
  readonly startedAt: number;
}

/**
 * Writes the changes to the site. Throws before anything is written if one of the files was changed in the meantime.
 */
async function writeChanges(changes: readonly ChangedFile[], target: WriteTarget): Promise<void> {
  for (const change of changes) await refuseOverwriting(change, target);
  // A file may have moved to the former path of another file, so all former paths are removed first.
  for (const { path, kind, from } of changes) {
    const removedPath = kind === "deleted" ? path : from;
    if (removedPath !== undefined) await rm(resolveInside(target.to, removedPath), { force: true });
  }
  for (const { path, kind } of changes) {
    if (kind === "deleted") continue;
    const destination = resolveInside(target.to, path);
    await mkdir(dirname(destination), { recursive: true });
    await cp(resolveInside(target.from, path), destination);
  }
}

async function refuseOverwriting(
  { path, kind, from }: ChangedFile,
  { to, startedAt }: WriteTarget,
): Promise<void> {
  const isNew = kind === "added" || kind === "moved";
  for (const file of from === undefined ? [path] : [path, from]) {
    const stats = await stat(resolveInside(to, file)).catch(() => undefined);
    if (!stats || (stats.mtimeMs < startedAt && !(isNew && file === path))) continue;
    throw new OctavoError(
      "conflict",
      `${file} was changed while the agent worked. Nothing was written; run the command again.`,
    );
  }
}

function printStep(
  terminal: Terminal,
  entry: TranscriptEntry,
  formatCall: typeof formatToolCall,
): void {
  if (entry.type === "sources") {
    for (const source of entry.sources)
      terminal.note(`  ${formatLine(describeSourceState(source))}`);
  }
  if (entry.type === "message" && entry.from === "service")
    terminal.note(`! ${formatLine(entry.text)}`);
  if (entry.type === "check") terminal.note(`= ${formatLine(entry.text)}`);
  if (entry.type === "model") printModelText(terminal, entry);
  if (entry.type === "tool") {
    terminal.note(`${entry.status === "done" ? "-" : "x"} ${formatLine(formatCall(entry))}`);
  }
}

/**
 * Prints the model's text between tool calls. The model's last text is the summary, which is printed in full at the
 * end.
 */
function printModelText(terminal: Terminal, { content }: ModelEntry): void {
  if (!content.some(({ type }) => type === "tool-call")) return;
  for (const part of content) {
    if (part.type === "text" && part.text.trim() !== "")
      terminal.note(`# ${formatLine(part.text)}`);
  }
}

function describeSourceState({ name, commit, error }: FixedSource): string {
  return commit === null
    ? `source ${name} cannot be read: ${error}`
    : `source ${name} at ${commit.slice(0, 12)}`;
}

const maxLineLength = 160;

function formatLine(text: string): string {
  const clean = stripControls(text).trim();
  return clean.length > maxLineLength ? `${clean.slice(0, maxLineLength)}…` : clean;
}

/**
 * Prints the diff in git's format. On a terminal, control characters are replaced, because they could move the cursor
 * or worse.
 */
function printDiff(terminal: Terminal, diff: string): void {
  if (diff === "") return;
  const text = diff.replace(/\n$/, "");
  if (!terminal.isStdoutTerminal) return terminal.print(text);
  for (const line of text.split("\n")) {
    const printable = line.replaceAll(/[^\P{Cc}\t]/gu, "\u{fffd}");
    terminal.print(paintDiffLine(terminal, printable));
  }
}

function paintDiffLine(terminal: Terminal, line: string): string {
  if (line.startsWith("+++") || line.startsWith("---")) return terminal.paint("bold", line);
  if (line.startsWith("+")) return terminal.paint("green", line);
  return line.startsWith("-") ? terminal.paint("red", line) : line;
}

function printOutcome(
  terminal: Terminal,
  { changes, problems, summary }: TurnOutcome,
  isWritten: boolean,
) {
  terminal.note(stripControlsFromLines(summary ?? ""));
  if (changes.length === 0) return;
  const before = problems
    ? ` Before: ${formatProblemCounts(problems.before)}; after: ${formatProblemCounts(problems.after)}.`
    : "";
  const files = formatCount(changes.length, "file");
  terminal.note(
    isWritten
      ? `Changed ${files}.${before}`
      : `Would change ${files}.${before} Run the command again with --write to make the changes.`,
  );
}

/** Prints the first request to the model on standard output, and its size on standard error. */
function printRequest(terminal: Terminal, request: DescribedRequest): void {
  const { system, tools, message, tokens } = request;
  for (const { name, text } of system) printPart(terminal, `system: ${name}`, text);
  for (const { name, description, inputSchema } of tools) {
    printPart(terminal, `tool: ${name}`, `${description}\n${JSON.stringify(inputSchema)}`);
  }
  printPart(terminal, "message", message);
  const total = tokens.reduce((sum, part) => sum + part.tokens, 0);
  const rows = [...tokens, { part: "total", tokens: total }];
  for (const { part, tokens: count } of rows) terminal.note(`${part.padEnd(12)} ${count} tokens`);
  terminal.note("The estimate assumes three bytes of JSON per token. Nothing was sent.");
}

function printPart(terminal: Terminal, title: string, text: string): void {
  terminal.print(terminal.paint("bold", `=== ${title}`));
  for (const line of text.split("\n")) {
    terminal.print(line.replaceAll(/[^\P{Cc}\t]/gu, "\u{fffd}"));
  }
}

/**
 * Returns the repository on this machine that contains the folder, or undefined if the folder is not in a repository.
 */
async function findEnclosingRepository(
  siteDir: string,
  createReader: (root: string) => GuideRepository["reader"],
): Promise<GuideRepository | undefined> {
  for (let root = siteDir; ; root = dirname(root)) {
    if (await isPresent(join(root, ".git"))) {
      const siteFolder = relative(root, siteDir).split(sep).join("/");
      return { reader: createReader(root), siteFolder };
    }
    if (dirname(root) === root) return undefined;
  }
}

async function isPresent(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

interface SourceOptions {
  readonly config: Config;
  /** The values of the `--source` flag. */
  readonly sources: readonly string[];
  /** The folder for copies of repositories if the user has no cache folder or disabled the cache. */
  readonly scratchDir: string;
  readonly isCached: boolean;
}

/**
 * Opens the repositories that the user named by address or as folders on this machine. Only the committed files of a
 * folder are read.
 */
async function openNamedSources(
  context: CommandContext,
  { config, sources, scratchDir, isCached }: SourceOptions,
): Promise<readonly TurnSource[]> {
  if (sources.length === 0) return [];
  const isFolder = (name: string) =>
    name !== "" && existsSync(resolve(context.invocationDir, name));
  const located = await Promise.all(
    sources.map((text) => locate(context, parseSourceSpec(text, isFolder))),
  );
  const namedFolders = new Set(located.flatMap(({ folder }) => folder ?? []));
  const { allow } = config;
  const allowsFile = (path: string) => namedFolders.has(path) || allow.allowsFile(path);
  const { createGit } = await import("../../git/index.ts");
  const cacheFolder = isCached ? findUserCacheFolder(context.env) : undefined;
  const git = createGit({
    cacheDir: join(cacheFolder ?? scratchDir, "sources"),
    allow: { ...allow, allowsFile },
  });
  return located.map(({ url, ref, directory }) => ({
    repository: url,
    ref,
    directory,
    open: (commit, signal) => {
      const revision = commit === undefined ? { ref: ref ?? undefined } : { commit };
      return git.openSource({ repository: { url }, directory }, revision, signal);
    },
  }));
}

interface LocatedSource {
  readonly url: string;
  readonly ref: string | null;
  readonly directory: string;
  /** The real path of the folder, if the source is on this machine. */
  readonly folder?: string;
}

async function locate(
  { invocationDir }: CommandContext,
  { repository, ref, directory }: SourceSpec,
): Promise<LocatedSource> {
  const cleanDirectory = cleanRelativePath(directory);
  if (cleanDirectory === undefined || (ref !== null && !isRefName(ref))) {
    throw new OctavoError(
      "invalid_input",
      `--source ${repository}: the ref or folder is not valid.`,
    );
  }
  const location = { ref, directory: cleanDirectory === "" ? "." : cleanDirectory };
  if (/^[a-z][a-z\d+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(repository))
    return { url: repository, ...location };
  const folder = await realpath(resolve(invocationDir, repository)).catch(() => undefined);
  if (folder === undefined) {
    throw new OctavoError(
      "invalid_input",
      `--source ${JSON.stringify(repository)} is neither an address nor a folder.`,
    );
  }
  return { url: pathToFileURL(folder).href, ...location, folder };
}
