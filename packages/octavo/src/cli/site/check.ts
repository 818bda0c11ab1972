import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import {
  OctavoError,
  countLosses,
  countProblems,
  groupProblems,
  makeFolder,
  sortProblems,
  type Problem,
} from "@octavo/site/core";
import { z } from "zod";
import type { CheckedPage } from "@octavo/site";
import { formatExamples, readChoice } from "../flags.ts";
import type { CommandContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { readVersion } from "../version.ts";
import { describeFolderRefusal, findUserCacheFolder, readAllowList } from "../../config/index.ts";
import { findDestination, type AllowList, formatCount, formatNumber } from "../../core/index.ts";
import { reportFormats, toRepositoryPaths } from "./check-formats.ts";
import { readExportSettings, remoteApisFlag, type SettingsFlags } from "./export-settings.ts";
import { formatGroups, formatProblemCounts } from "./problem-lines.ts";
import { renderWithProgress } from "./render-command.ts";
import type { Terminal } from "../terminal.ts";
import { asFolderFlag, siteArgument } from "./site-folder.ts";

interface CheckFlags extends SettingsFlags {
  readonly strict?: true;
  readonly since?: string;
  readonly external?: true;
  readonly accessibility?: true;
  readonly format?: string;
  readonly json?: true;
}

export function defineCheck(command: Command, context: CommandContext): void {
  command
    .argument(...siteArgument)
    .description(
      "Checks a site without writing a bundle, and lists problems with links, anchors, files, components and configuration. Exits with 1 if there are errors.",
    )
    .option("--strict", "exit with 1 on warnings too")
    .option(
      "--since <ref>",
      "list only problems in files that changed since the history diverged from a branch, tag or commit",
    )
    .option(
      "--accessibility",
      "list accessibility problems: images without alternative text, skipped heading levels",
    )
    .option("--external", "check links to other hosts")
    .option(...remoteApisFlag)
    .option(
      "--base-url <url>",
      "address where the bundle will be served; hides problems that affect only bundles without an address",
    )
    .option("--cache <dir>", "cache folder for rendered pages (default: ~/.cache/octavo)")
    .option("--no-cache", "render every page again")
    .option(
      "--format <format>",
      "text, json, sarif, github (annotations) or gitlab (code quality) (default: text)",
    )
    .option(...asFolderFlag)
    .option("--json", "same as --format json")
    .addHelpText(
      "after",
      `
The list begins with the problems that affect readers most: pages, then API operations, passages, embedded files and
links. Problems that are alike are listed once, with their locations, for example:
  guides/start.mdx:14:8  error  The link "/guides/stop" does not lead to a page or file of this site.  [link_broken]
    Then [stop](/guides/stop).
         ^
    and in 2 more locations: guides/more.mdx:3:1, index.mdx:9:20
${formatExamples("check docs", "check docs --strict --format github", "check docs --since origin/main --external", "check docs --format sarif > octavo.sarif")}`,
    )
    .action((site: string, flags: CheckFlags) => runCheck(context, site, flags));
}

async function runCheck(context: CommandContext, site: string, flags: CheckFlags): Promise<void> {
  const format = readFormat(flags);
  const { accessibility } = flags;
  const settings = { ...(await readExportSettings(context, site, flags)), accessibility };
  const { siteDir } = settings;
  let references: readonly Reference[] = [];
  const { pages, problems: found } = await renderWithProgress(context, settings, (rendered) => {
    if (flags.external) references = listReferences(rendered);
  });
  const externalProblems = flags.external ? await checkExternalLinks(context, references) : [];
  const allProblems = sortProblems([...found, ...externalProblems]);
  const problems = await filterChangedProblems(context, {
    siteDir,
    since: flags.since,
    problems: allProblems,
  });
  const counts = countProblems(problems);
  if (counts.errors > 0 || (flags.strict && counts.warnings > 0))
    context.setExitCode(exitCodes.failed);
  printProblems(context, format, { siteDir, pages, problems });
  if (format !== "json") {
    const unlistedCount = allProblems.length - problems.length;
    const unlistedNote =
      unlistedCount === 0
        ? ""
        : ` Not listed: ${formatCount(unlistedCount, "problem")} in unchanged files.`;
    context.terminal.note(
      `Checked ${formatCount(pages, "page")}: ${formatProblemCounts(counts)}.${formatLosses(problems)}${unlistedNote}`,
    );
  }
}

function formatLosses(problems: readonly Problem[]): string {
  const losses = countLosses(problems).map(({ name, count }) => formatCount(count, name));
  return losses.length === 0 ? "" : ` Readers lose ${new Intl.ListFormat("en").format(losses)}.`;
}

interface SinceQuery {
  readonly siteDir: string;
  readonly since: string | undefined;
  readonly problems: readonly Problem[];
}

async function filterChangedProblems(
  context: CommandContext,
  { siteDir, since, problems }: SinceQuery,
): Promise<readonly Problem[]> {
  if (since === undefined) return problems;
  const { createFolderHistory } = await import("../../git/index.ts");
  const history = createFolderHistory({ folder: siteDir, searchPath: context.env["PATH"] });
  const files = [...new Set(problems.map(({ file }) => file))];
  const changed = await history.findChangedFiles(since, files, context.listenForInterruption());
  if (changed !== undefined) return problems.filter(({ file }) => changed.has(file));
  throw new OctavoError(
    "invalid_input",
    `--since requires a Git repository with a commit, and ${siteDir} is not in one.`,
  );
}

const formats = ["text", "json", "sarif", "github", "gitlab"] as const;
type Format = (typeof formats)[number];

function readFormat({ format: given = "text", json }: CheckFlags): Format {
  const format = readChoice("--format", formats, given);
  if (!json || format === "json") return format;
  if (format === "text") return "json";
  const message = `--json is the same as --format json; use either --json or --format ${format}.`;
  throw new OctavoError("invalid_input", message);
}

interface CheckOutcome {
  readonly siteDir: string;
  readonly pages: number;
  readonly problems: readonly Problem[];
}

function printProblems(
  context: CommandContext,
  format: Format,
  { siteDir, ...found }: CheckOutcome,
): void {
  const { terminal, invocationDir } = context;
  const { pages, problems } = found;
  if (format === "text") {
    for (const line of formatGroups(terminal, groupProblems(problems), siteDir))
      terminal.print(line);
  } else if (format === "json") {
    terminal.print(JSON.stringify({ pages, ...countProblems(problems), problems }));
  } else {
    const problemsInRepository = toRepositoryPaths(problems, { siteDir, invocationDir });
    const report = reportFormats[format]({
      problems: problemsInRepository,
      version: readVersion(),
    });
    if (report !== "") terminal.print(report);
  }
}

/** A link or image with its location in the source. */
type Reference = CheckedPage["rendered"]["references"][number];

/** The time for which an address that responded is not requested again. */
const recheckIntervalMs = 24 * 60 * 60 * 1_000;
/**
 * Matches hosts that are placeholders or exist only in the reader's network: example names (RFC 2606), names without a
 * domain, and IP addresses.
 */
const placeholderPattern =
  /^(?:(?:.+\.)?example\.(?:com|net|org)|.+\.(?:example|test|invalid|localhost)|[^.]+|[\d.]+)$/;

const cacheFileName = "external-links.json";
const cacheSchema = z.record(z.string(), z.number());

/**
 * Finds dead links to pages and images on other hosts. Reports an error if the server says that the target
 * does not exist, and a warning if no server responds. Placeholder addresses, and addresses that responded within the
 * last day, are not requested.
 */
async function checkExternalLinks(
  context: CommandContext,
  references: readonly Reference[],
): Promise<readonly Problem[]> {
  const { env, terminal } = context;
  const { createLinkProbe } = await import("../../net/index.ts");
  const allow = readAllowList(env);
  const referencesByAddress = Map.groupBy(
    references,
    (reference) => findAddress(reference, allow) ?? "",
  );
  referencesByAddress.delete("");
  const folder = findUserCacheFolder(env);
  const known = await readKnownLinks(folder);
  const now = Date.now();
  const addresses = [...referencesByAddress.keys()].filter(
    (url) => (known[url] ?? 0) < now - recheckIntervalMs,
  );
  if (addresses.length > 0) {
    terminal.note(`Requesting ${formatNumber(addresses.length)} addresses on other hosts`);
  }
  const states = await createLinkProbe({ allow })(addresses, context.listenForInterruption());
  const reachable = [...states].flatMap(([url, { kind }]) =>
    kind === "there" ? [[url, now]] : [],
  );
  await cacheKnownLinks(terminal, folder, { ...known, ...Object.fromEntries(reachable) });
  return [...states].flatMap(([url, state]) => {
    if (state.kind === "there") return [];
    const severity = state.kind === "gone" ? "error" : "warning";
    const message = `The address ${JSON.stringify(url)} does not work: ${state.reason}`;
    return (referencesByAddress.get(url) ?? []).map(({ file, line, column }): Problem => {
      return { severity, code: "external_link_dead", message, file, line, column };
    });
  });
}

function listReferences(pages: readonly CheckedPage[]): readonly Reference[] {
  return pages.flatMap(({ rendered }) => rendered.references);
}

/**
 * Returns the address to request, without its fragment. Returns undefined for a target that is not on another host and
 * for a placeholder, unless OCTAVO_ALLOW names it.
 */
function findAddress({ target }: Reference, allow: AllowList): string | undefined {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  const destination = url && findDestination(url);
  if (!url || !destination) return undefined;
  const isAllowed = allow.allowsHost(destination.host, destination.port);
  if (placeholderPattern.test(url.hostname) && !isAllowed) return undefined;
  url.hash = "";
  return url.href;
}

async function readKnownLinks(
  folder: string | undefined,
): Promise<Readonly<Record<string, number>>> {
  if (folder === undefined) return {};
  try {
    return cacheSchema.parse(JSON.parse(await readFile(join(folder, cacheFileName), "utf8")));
  } catch {
    // There is no cache yet, or a different version wrote it, so every address is requested.
    return {};
  }
}

async function cacheKnownLinks(
  terminal: Terminal,
  folder: string | undefined,
  known: Readonly<Record<string, number>>,
): Promise<void> {
  if (folder === undefined) return;
  const path = join(folder, cacheFileName);
  const fresh = Object.entries(known).filter(
    ([, respondedAt]) => respondedAt >= Date.now() - recheckIntervalMs,
  );
  try {
    makeFolder(folder);
    await writeFile(`${path}.${process.pid}`, JSON.stringify(Object.fromEntries(fresh)));
    await rename(`${path}.${process.pid}`, path);
  } catch (error) {
    terminal.note(
      `octavo: The cache folder ${folder} cannot be used: ${describeFolderRefusal(error)}. Every address is requested again next time.`,
    );
  }
}
