import { formatCount } from "../../core/index.ts";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { resolve } from "node:path";
import { Option, type Command } from "commander";
import { OctavoError, countProblems } from "@octavo/site/core";
import type { DevServer } from "../../dev/index.ts";
import type { Problem } from "@octavo/site/core";
import { formatExamples } from "../flags.ts";
import type { CommandContext } from "../context.ts";
import { readExportSettings, remoteApisFlag } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { formatDuration } from "../format.ts";
import { formatCommandLine } from "../invocation.ts";
import { createListenError } from "../../node/index.ts";
import { formatProblemCounts, stripControls, formatProblemLine } from "./problem-lines.ts";
import { asFolderFlag, siteArgument } from "./site-folder.ts";
import { createFolderOrigin } from "./site-origin.ts";

interface DevFlags extends Pick<SettingsFlags, "editUrl" | "asFolder" | "remoteApis"> {
  readonly port: string;
  readonly host?: string;
  readonly open: boolean;
}

/** The loopback address, because the content is not published yet. */
const host = "127.0.0.1";
const defaultPort = "3000";

export function defineDev(command: Command, context: CommandContext): void {
  command
    .argument(...siteArgument)
    .description(
      "Serves a site on this machine only, and reloads pages in the browser when they change. Pages are rendered when they are opened. Press Ctrl-C to stop.",
    )
    .option(
      "--port <number>",
      "port to listen on, or the next one that is free; 0 for any free port",
      defaultPort,
    )
    // Users of other preview servers know this option, so its error explains the alternatives.
    .addOption(new Option("--host <address>").hideHelp())
    .option("--no-open", "do not open the browser")
    .option(
      "--edit-url <url>",
      "address where a page can be edited, with {path} for its file; adds a link to each page",
    )
    .option(...remoteApisFlag)
    .option(...asFolderFlag)
    .addHelpText("after", formatExamples("dev docs", "dev docs --port 4000 --no-open"))
    .action((site: string, flags: DevFlags) => runDev(context, site, flags));
}

async function runDev(context: CommandContext, site: string, flags: DevFlags): Promise<void> {
  const start = performance.now();
  const { terminal } = context;
  refuseOtherHost(flags.host);
  const port = readPort(flags.port);
  const settings = await readExportSettings(context, site, flags);
  const signal = context.listenForInterruption();
  const reporter = createProblemReporter(context);
  // The module is loaded here so that other commands do not wait for the server's dependencies (0.05 s).
  const { openBrowser, openDevServer } = await import("../../dev/index.ts");
  const origin = createFolderOrigin(context, settings.siteDir);
  await using dev = await openDevServer({ settings: { ...settings, origin }, ...reporter });
  const actualPort = await listenNear(dev, port);
  if (port !== 0 && actualPort !== port)
    terminal.note(`Port ${port} is in use; using ${actualPort} instead.`);
  const address = `http://${host}:${actualPort}/`;
  const pages = dev.site?.pages.length ?? 0;
  const summary = `${terminal.paint("green", "Showing")} ${formatCount(pages, "page")} at ${address}`;
  terminal.print(
    `${summary}, read in ${formatDuration(performance.now() - start)}. Press Ctrl-C to stop.`,
  );
  if (dev.site) reportInitialProblems(context, { site, problems: dev.site.problems, reporter });
  if (flags.open && terminal.isStdoutTerminal) openBrowser(address);
  if (!signal.aborted) await once(signal, "abort");
}

/** The maximum number of ports that are tried, starting with the port that the user chose. */
const maxPorts = 20;

/**
 * Listens on the port, or on the next free port, and returns the port's number. Throws `unavailable` if no port is
 * free.
 */
async function listenNear({ server }: DevServer, firstPort: number): Promise<number> {
  for (let port = firstPort; ; port += 1) {
    try {
      server.listen({ host, port });
      await once(server, "listening");
      return (server.address() as AddressInfo).port;
    } catch (cause) {
      const isBusy = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
      const isLast = port === Math.min(firstPort + maxPorts - 1, 65_535);
      if (!isBusy || isLast) throw createListenError({ host, port }, cause);
    }
  }
}

/** The maximum number of problems shown at the start. More lines would push the address out of view. */
const maxShownProblems = 5;

function reportInitialProblems(
  context: CommandContext,
  { site, problems, reporter }: InitialProblems,
): void {
  if (problems.length === 0) return;
  const counts = formatProblemCounts(countProblems(problems));
  const isFew = problems.length <= maxShownProblems;
  const check = formatCommandLine(context, ["check", resolve(context.invocationDir, site)]);
  const rest = isFew ? ":" : `; \`${check}\` lists them.`;
  context.terminal.note(`The site's configuration and frontmatter have ${counts}${rest}`);
  if (isFew) reporter.onProblems("", problems);
}

interface InitialProblems {
  readonly site: string;
  readonly problems: readonly Problem[];
  readonly reporter: Pick<ReturnType<typeof createProblemReporter>, "onProblems">;
}

/** Prints each problem once, when it first appears, and reports when the last problem of a page is fixed. */
function createProblemReporter({ terminal }: CommandContext) {
  const linesByPage = new Map<string, ReadonlySet<string>>();
  return {
    onProblems(page: string, problems: readonly Problem[]): void {
      const lines = problems.map((problem) => formatProblemLine(terminal, problem));
      const before = linesByPage.get(page) ?? new Set();
      linesByPage.set(page, new Set());
      const others = new Set([...linesByPage.values()].flatMap((set) => [...set]));
      linesByPage.set(page, new Set(lines));
      for (const line of lines) {
        if (!before.has(line) && !others.has(line)) terminal.print(line);
      }
      if (before.size > 0 && lines.length === 0) {
        terminal.note(
          page === "" ? "The site has no more problems." : `${page} has no more problems.`,
        );
      }
    },
    onFailure(failure: OctavoError | undefined): void {
      if (failure)
        terminal.print(`${terminal.paint("red", "error")}  ${stripControls(failure.message)}`);
      else terminal.note("The site can be read again.");
    },
    onFault(error: unknown): void {
      const trace = error instanceof Error ? error.stack : String(error);
      terminal.note(`octavo: This should not have happened; please report it.\n${trace}`);
    },
  };
}

function refuseOtherHost(given: string | undefined): void {
  if (given === undefined || given === host || given === "localhost") return;
  throw new OctavoError(
    "invalid_input",
    `The preview is available only on this machine, at ${host}, because the site is not published yet. To show the ` +
      'site to others, use "octavo publish", or "octavo export" for a bundle that any web server can serve.',
  );
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new OctavoError(
    "invalid_input",
    `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.`,
  );
}
