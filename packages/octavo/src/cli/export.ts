import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { Command } from "commander";
import { invocation } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { ExportSettings, RenderResult } from "@octavo/site";
import type { CommandContext } from "./context.ts";
import { readExportSettings } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { bytes, count, counted, duration } from "./figures.ts";
import { countProblems, countsText } from "./problem-lines.ts";
import { renderShown, scratchFolder } from "./render-command.ts";
import { folderOrigin } from "./site-origin.ts";
import { protectDestination, readDestination } from "./site-folder.ts";
import type { Destination } from "./site-folder.ts";

interface ExportFlags extends SettingsFlags {
  readonly out?: string;
  readonly strict?: true;
  readonly json?: true;
}

export function addExport(program: Command, context: CommandContext): void {
  program
    .command("export")
    .summary("render a site's folder into a bundle that needs no server")
    .description(
      "Renders a site's folder into one self-contained bundle: it opens by a double click, searches offline, and works on any static host.",
    )
    .argument("<site>", "folder that holds the site: its docs.json, or just Markdown")
    .option(
      "--out <path>",
      "folder to write, or an archive: a name that ends in .tar.gz, .tgz or .zip (required)",
    )
    .option("--paths <a,b>", "only these pages, named as in the navigation, without extension")
    .option(
      "--base-url <url>",
      "where the bundle will be served, for canonical links and the sitemap",
    )
    .option(
      "--edit-url <url>",
      "where a page's file is edited, with {path} for its path: each page links there",
    )
    .option(
      "--remote-media <keep|vendor|link>",
      "what lies on other hosts: shown from there (keep), brought into the bundle (vendor), or only linked (link)",
    )
    .option("--cache <dir>", "where rendered pages are kept (~/.cache/octavo)")
    .option("--no-cache", "render every page anew")
    .option("--strict", "exit with 1 when there is any problem, warnings included")
    .option("--json", "one JSON object on standard output at the end")
    .addHelpText(
      "after",
      `
Examples:
  octavo export docs --out site
  octavo export docs --out docs.zip --base-url https://docs.example.com
  octavo export docs --out preview --paths index,guides/start`,
    )
    .action((site: string, flags: ExportFlags) => runExport(context, site, flags));
}

async function runExport(context: CommandContext, site: string, flags: ExportFlags): Promise<void> {
  const start = performance.now();
  const { out } = flags;
  if (out === undefined) {
    // Not the parser's business: it would say so before it names an option that was mistyped.
    const message = "--out is missing: it names the folder or the archive to write.";
    throw new OctavoError("invalid_input", message);
  }
  const settings = await readExportSettings(context, site, flags);
  const { siteDir } = settings;
  const destination = readDestination(context, out);
  await protectDestination(destination, siteDir);
  const origin = folderOrigin(context, siteDir);
  const written = await write(context, destination, { ...settings, origin });
  report(context, {
    ...written,
    site,
    out,
    flags,
    destination,
    elapsedMs: performance.now() - start,
  });
}

interface Written {
  readonly result: RenderResult;
  readonly size: number;
  /** Of an archive. */
  readonly sha256?: string;
}

async function write(
  context: CommandContext,
  { format, path }: Destination,
  settings: ExportSettings,
): Promise<Written> {
  if (format === "folder") {
    await makeFolder(path);
    const result = await renderShown(context, { ...settings, outDir: path });
    return { result, size: result.bytes };
  }
  await makeFolder(dirname(path));
  await using scratch = await scratchFolder(context);
  const archive = { format, file: path };
  const result = await renderShown(context, { ...settings, outDir: scratch.path, archive });
  const { bytes = 0, sha256 = "" } = result.packed ?? {};
  return { result, size: bytes, sha256 };
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    const message = `The folder ${path} cannot be made; name another place for the bundle.`;
    throw new OctavoError("invalid_input", message, { cause });
  }
}

interface ExportReport extends Written {
  readonly site: string;
  /** As the person named it. */
  readonly out: string;
  readonly flags: ExportFlags;
  readonly destination: Destination;
  readonly elapsedMs: number;
}

function report(context: CommandContext, outcome: ExportReport): void {
  const { result, size, sha256, site, out, flags, destination, elapsedMs } = outcome;
  const { pages, rendered, problems } = result;
  const counts = countProblems(problems);
  if (flags.strict && problems.length > 0) context.exitWith(1);
  const { terminal } = context;
  if (flags.json) {
    const { path, format } = destination;
    const seconds = Math.round(elapsedMs) / 1000;
    const cached = pages - rendered;
    const figures = { out: path, format, pages, rendered, cached, ...counts, bytes: size, seconds };
    terminal.print(JSON.stringify({ ...figures, ...(sha256 && { sha256 }), problems }));
    return;
  }
  const kept = rendered === pages ? "" : ` (${count(pages - rendered)} from the cache)`;
  terminal.print(
    `${terminal.paint("green", "Exported")} ${counted(pages, "page")} to ${out}${kept}: ${bytes(size)} in ${duration(elapsedMs)}.`,
  );
  if (problems.length === 0) return;
  const hint = `\`${invocation(context.env)} check ${site}\` lists them`;
  terminal.print(
    `The site has ${countsText(counts)}; ${hint}, and so does _octavo/report.json in the bundle.`,
  );
}
