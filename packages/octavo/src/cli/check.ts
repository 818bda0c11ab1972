import type { Command } from "commander";
import { OctavoError, countProblems } from "@octavo/site/core";
import type { Problem } from "@octavo/site/core";
import { problemsInRepository, reportFormats } from "./check-formats/index.ts";
import { readChoice } from "./choice.ts";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./examples.ts";
import { readExportSettings } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { exitCodes } from "./failure.ts";
import { pluralize } from "./figures.ts";
import { countsText, problemLine } from "./problem-lines.ts";
import { renderShown } from "./render-command.ts";
import { asFolderFlag, siteArgument } from "./site-folder.ts";
import { readVersion } from "./version.ts";

interface CheckFlags extends SettingsFlags {
  readonly strict?: true;
  readonly format?: string;
  readonly json?: true;
}

export function defineCheck(command: Command, context: CommandContext): void {
  command
    .argument(...siteArgument)
    .description(
      "Checks a site without writing a bundle, and lists what is broken: links, anchors, files, components and configuration. Exits with 1 when there are errors.",
    )
    .option("--strict", "exit with 1 on warnings too")
    .option(
      "--base-url <url>",
      "address where the bundle will be served; problems of bundles without one are not listed",
    )
    .option("--cache <dir>", "where rendered pages are kept (default: ~/.cache/octavo)")
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
Each problem is one line:
  guides/start.mdx:14:8  error  The link "/guides/stop" leads to no page or file of this site.  [link_broken]
${formatExamples("check docs", "check docs --strict --format github", "check docs --format sarif > octavo.sarif")}`,
    )
    .action((site: string, flags: CheckFlags) => runCheck(context, site, flags));
}

async function runCheck(context: CommandContext, site: string, flags: CheckFlags): Promise<void> {
  const format = readFormat(flags);
  const settings = await readExportSettings(context, site, flags);
  const { siteDir } = settings;
  const { pages, problems } = await renderShown(context, settings);
  const counts = countProblems(problems);
  if (counts.errors > 0 || (flags.strict && counts.warnings > 0))
    context.exitWith(exitCodes.failed);
  print(context, format, { siteDir, pages, problems });
  if (format !== "json") {
    context.terminal.note(`Checked ${pluralize(pages, "page")}: ${countsText(counts)}.`);
  }
}

const formats = ["text", "json", "sarif", "github", "gitlab"] as const;
type Format = (typeof formats)[number];

function readFormat({ format: given = "text", json }: CheckFlags): Format {
  const format = readChoice("--format", formats, given);
  if (!json || format === "json") return format;
  if (format === "text") return "json";
  const message = `--json is the same as --format json; leave out it or --format ${format} out.`;
  throw new OctavoError("invalid_input", message);
}

interface Checked {
  readonly siteDir: string;
  readonly pages: number;
  readonly problems: readonly Problem[];
}

function print(context: CommandContext, format: Format, { siteDir, ...found }: Checked): void {
  const { terminal, invocationDir } = context;
  const { pages, problems } = found;
  if (format === "text") {
    for (const problem of problems) terminal.print(problemLine(terminal, problem));
  } else if (format === "json") {
    terminal.print(JSON.stringify({ pages, ...countProblems(problems), problems }));
  } else {
    const placed = problemsInRepository(problems, { siteDir, invocationDir });
    const report = reportFormats[format]({ problems: placed, version: readVersion() });
    if (report !== "") terminal.print(report);
  }
}
