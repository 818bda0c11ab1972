import { formatCount, formatNumber } from "../../core/index.ts";
import { dirname, resolve } from "node:path";
import type { Command } from "commander";
import { OctavoError, countProblems } from "@octavo/site/core";
import type { ExportSettings, RenderResult } from "@octavo/site";
import { prepareFolder, removeEmptyFolders } from "../../config/index.ts";
import type { CommandContext } from "../context.ts";
import { exitCodes } from "../exit-codes.ts";
import { formatExamples } from "../flags.ts";
import { countFailingProblems, failOnFlag, readFailOn } from "./fail-on.ts";
import type { FailurePolicy, FailOnFlags } from "./fail-on.ts";
import { readExportSettings, remoteApisFlag } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { formatBytes, formatDuration } from "../format.ts";
import { formatCommandLine } from "../invocation.ts";
import { formatProblemCounts } from "./problem-lines.ts";
import { renderWithProgress, openScratchFolder } from "./render-command.ts";
import { createFolderOrigin } from "./site-origin.ts";
import { asFolderFlag, protectDestination, readDestination, siteArgument } from "./site-folder.ts";
import type { Destination } from "./site-folder.ts";

interface ExportFlags extends SettingsFlags, FailOnFlags {
  readonly out?: string;
  readonly json?: true;
}

export function defineExport(command: Command, context: CommandContext): void {
  command
    .argument(...siteArgument)
    .description(
      "Renders a site into one self-contained bundle that opens with a double-click, can be searched offline and works on any static host.",
    )
    .option(
      "--out <path>",
      "folder to write, or archive with the extension .tar.gz, .tgz or .zip (required)",
    )
    .option("--paths <a,b>", "export only these pages, named as in the navigation")
    .option(
      "--base-url <url>",
      "address where the bundle will be served; adds canonical links and makes the sitemap's addresses absolute",
    )
    .option(
      "--addresses <form>",
      "file (guides/start.html), folder (guides/start/index.html) or clean (guides/start) (default: file)",
    )
    .option(
      "--edit-url <url>",
      "address where a page can be edited, with {path} for its file; adds a link to each page",
    )
    .option(
      "--remote-media <mode>",
      "media on other hosts: keep (load it from there), vendor (copy it into the bundle) or link (default: keep)",
    )
    .option(
      "--remote-scripts <hosts>",
      "hosts from which pages may load scripts, styles, fonts, frames and data, separated by commas (default: none)",
    )
    .option(...remoteApisFlag)
    .option("--cache <dir>", "cache folder for rendered pages (default: ~/.cache/octavo)")
    .option("--no-cache", "render every page again")
    .option(...failOnFlag)
    .option("--strict", "same as --fail-on warning")
    .option(...asFolderFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .addHelpText(
      "after",
      formatExamples(
        "export docs --out site",
        "export docs --out docs.zip --base-url https://docs.example.com",
        "export docs --out part --paths index,guides/start",
      ),
    )
    .action((site: string, flags: ExportFlags) => runExport(context, site, flags));
}

async function runExport(context: CommandContext, site: string, flags: ExportFlags): Promise<void> {
  const start = performance.now();
  const { out } = flags;
  if (out === undefined) {
    // Not a required option, because the parser would then report a missing --out before a mistyped option.
    const message = "--out is missing; name the folder or the archive to write.";
    throw new OctavoError("invalid_input", message);
  }
  const failOn = readFailOn(context, flags);
  const settings = await readExportSettings(context, site, flags);
  const { siteDir } = settings;
  const destination = readDestination(context, out);
  await protectDestination(destination, siteDir);
  const origin = createFolderOrigin(context, siteDir);
  const written = await writeBundle(context, destination, { ...settings, origin });
  reportOutcome(context, {
    ...written,
    site,
    out,
    isJson: flags.json === true,
    failOn,
    destination,
    elapsedMs: performance.now() - start,
  });
}

interface WrittenBundle {
  readonly result: RenderResult;
  readonly sizeBytes: number;
  /** The hash of the bundle, if it is an archive. */
  readonly sha256?: string;
}

async function writeBundle(
  context: CommandContext,
  { format, path }: Destination,
  settings: ExportSettings,
): Promise<WrittenBundle> {
  if (format === "folder") {
    const render = () => renderWithProgress(context, { ...settings, outDir: path });
    const result = await fillFolder(path, render);
    return { result, sizeBytes: result.bytes };
  }
  return await fillFolder(dirname(path), async () => {
    await using scratch = await openScratchFolder(context);
    const archive = { format, file: path };
    const result = await renderWithProgress(context, {
      ...settings,
      outDir: scratch.path,
      archive,
    });
    const { bytes = 0, sha256 = "" } = result.packed ?? {};
    return { result, sizeBytes: bytes, sha256 };
  });
}

/** Creates the folder to which `work` writes. If `work` fails, removes the folders that this call created. */
async function fillFolder<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  const advice = "choose another location for the bundle";
  const topmost = prepareFolder({ path, name: "The folder", advice });
  try {
    return await work();
  } catch (error) {
    if (topmost !== undefined) removeEmptyFolders(path, topmost);
    throw error;
  }
}

interface ExportReport extends WrittenBundle {
  readonly site: string;
  /** The path as the user typed it. */
  readonly out: string;
  readonly isJson: boolean;
  readonly failOn: FailurePolicy;
  readonly destination: Destination;
  readonly elapsedMs: number;
}

function reportOutcome(context: CommandContext, outcome: ExportReport): void {
  const { result, sizeBytes, sha256, site, out, isJson, failOn, destination, elapsedMs } = outcome;
  const { pages, rendered, problems } = result;
  const counts = countProblems(problems);
  const decisiveCount = countFailingProblems(counts, failOn);
  if (decisiveCount > 0) context.setExitCode(exitCodes.failed);
  const { terminal } = context;
  if (isJson) {
    const { path, format } = destination;
    const seconds = Math.round(elapsedMs) / 1000;
    const cached = pages - rendered;
    const figures = {
      out: path,
      format,
      pages,
      rendered,
      cached,
      ...counts,
      bytes: sizeBytes,
      seconds,
    };
    terminal.print(JSON.stringify({ ...figures, ...(sha256 && { sha256 }), problems }));
    return;
  }
  const cacheNote = rendered === pages ? "" : ` (${formatNumber(pages - rendered)} from the cache)`;
  terminal.print(
    `${terminal.paint("green", "Exported")} ${formatCount(pages, "page")} to ${out}${cacheNote}: ${formatBytes(sizeBytes)} in ${formatDuration(elapsedMs)}.`,
  );
  if (problems.length === 0) return;
  const hint = `\`${formatCommandLine(context, ["check", resolve(context.invocationDir, site)])}\` lists them`;
  const paintedCounts = terminal.paint(
    counts.errors > 0 ? "red" : "yellow",
    formatProblemCounts(counts),
  );
  terminal.print(
    `The site has ${paintedCounts}; ${hint}, and so does _octavo/report.json in the bundle.`,
  );
  if (decisiveCount > 0) terminal.note(`The command failed because of ${failOn.cause}.`);
}
