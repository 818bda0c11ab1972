/**
 * The preview of a site's folder in a browser:
 * 1. `watch-folder.ts` tells which files changed;
 * 2. the preview of `render/` takes that up, and says which pages may look otherwise now;
 * 3. `listeners.ts` has the windows that show such a page load it again, and `server.ts` serves it.
 */
import type { Server } from "node:http";
import type { OctavoError, Problem } from "@octavo/site/core";
import { openPreview } from "@octavo/site";
import type { Site, SitePreview, SiteSettings } from "@octavo/site";
import { createListeners } from "./listeners.ts";
import type { Fault, Listeners } from "./listeners.ts";
import { pageProblems, problemPlace } from "./page-problems.ts";
import { createPreviewServer } from "./server.ts";
import { watchFolder } from "./watch-folder.ts";

export { openBrowser } from "./open-browser.ts";

export interface DevOptions {
  readonly settings: SiteSettings;
  /** What is wrong now: with a page that somebody looks at, by its path, or with the site as it was read (``). */
  readonly onProblems: (page: string, problems: readonly Problem[]) => void;
  /** The folder cannot be read as it is; undefined when it can again. */
  readonly onFailure: (failure: OctavoError | undefined) => void;
  /** Told of what should not have happened. */
  readonly onFault: (error: unknown) => void;
}

export interface DevServer extends AsyncDisposable {
  /** To listen with; it takes requests of this machine's own browsers only. */
  readonly server: Server;
  /** As it was read at the start; undefined where it could not be. */
  readonly site: Site | undefined;
}

/** Reads the site and watches its folder. Nothing in the folder is written, and pages are rendered when they are asked for. */
export async function openDevServer(options: DevOptions): Promise<DevServer> {
  const { settings } = options;
  const takenUp = Promise.withResolvers<(files: readonly string[]) => Promise<void>>();
  // Before the site is read: nobody would tell of what is saved meanwhile.
  using watching = new DisposableStack();
  watching.use(
    await watchFolder(settings.siteDir, async (files) => (await takenUp.promise)(files)),
  );
  await using opening = new AsyncDisposableStack();
  const preview = opening.use(await openPreview(settings));
  const listeners = createListeners((page) => faultsOf(page, preview, options));
  opening.defer(() => listeners.close());
  opening.use(watching.move());
  const told: Pick<SitePreview, "failure" | "site"> = { failure: undefined, site: preview.site };
  const tellSite = () => {
    if (told.failure?.message !== preview.failure?.message) options.onFailure(preview.failure);
    if (preview.site && told.site !== preview.site) options.onProblems("", preview.site.problems);
    Object.assign(told, { failure: preview.failure, site: preview.site });
  };
  tellSite();
  takenUp.resolve(async (files) => {
    try {
      await takeUp(files, preview, listeners);
      tellSite();
    } catch (error) {
      options.onFault(error);
    }
  });
  const server = await createPreviewServer({ preview, listeners, onFault: options.onFault });
  opening.defer(() => closeServer(server));
  const opened = opening.move();
  return {
    server,
    site: preview.site,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function takeUp(
  files: readonly string[],
  preview: SitePreview,
  listeners: Listeners,
): Promise<void> {
  const change = await preview.refresh(files);
  for (const page of listeners.shownPages()) {
    // Begun before the browser has heard of it; what goes wrong is answered when it asks.
    if (change.affects(page)) preview.find(`${page}.html`).catch(() => undefined);
  }
  listeners.tell(change);
}

/** What a person who looks at the page should know: why the folder cannot be read, and the page's errors. */
async function faultsOf(
  path: string,
  preview: SitePreview,
  { onProblems }: DevOptions,
): Promise<readonly Fault[]> {
  const { failure, site } = preview;
  const whole = failure === undefined ? [] : [{ place: "", message: failure.message }];
  const found = await preview.find(`${path}.html`);
  if (found?.type !== "page" || site === undefined) return whole;
  const problems = pageProblems(site, found);
  onProblems(path, problems);
  const errors = problems.filter(({ severity }) => severity === "error");
  return [
    ...whole,
    ...errors.map((problem) => ({ place: problemPlace(problem), message: problem.message })),
  ];
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
