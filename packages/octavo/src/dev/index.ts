/**
 * A live preview of a site's folder in a browser:
 * 1. `watch-folder.ts` reports which files changed;
 * 2. the preview of `@octavo/site` refreshes and reports which pages may have changed;
 * 3. `listeners.ts` makes windows that show such a page reload it, and `server.ts` serves the page.
 */
import type { Server } from "node:http";
import { checkSite, openPreview } from "@octavo/site";
import type {
  FetchRemote,
  RenderedPage,
  Site,
  SitePage,
  SitePreview,
  SiteSettings,
} from "@octavo/site";
import type { OctavoError, Problem } from "@octavo/site/core";
import { createOpenWindows } from "./listeners.ts";
import type { OpenWindows, PageFault } from "./listeners.ts";
import { createPreviewServer } from "./server.ts";
import { watchFolder } from "./watch-folder.ts";

export { openBrowser } from "./open-browser.ts";

export interface DevOptions {
  readonly settings: SiteSettings;
  /** Receives the current problems of a shown page, identified by its path, or of the site itself (an empty path). */
  readonly onProblems: (page: string, problems: readonly Problem[]) => void;
  /** Receives the reason why the folder cannot be read, or undefined when the folder can be read again. */
  readonly onFailure: (failure: OctavoError | undefined) => void;
  /** Receives unexpected errors. */
  readonly onFault: (error: unknown) => void;
}

export interface DevServer extends AsyncDisposable {
  /** The server, which does not listen yet. It serves only browsers on this machine. */
  readonly server: Server;
  /** The site that was read at the start; undefined if it could not be read. */
  readonly site: Site | undefined;
}

/**
 * Caches remote files. The site is read again whenever its configuration changes, and requests to other hosts must not
 * be repeated each time.
 */
function addRemoteCache({ fetchRemote, ...settings }: SiteSettings): SiteSettings {
  return fetchRemote ? { ...settings, fetchRemote: cacheResponses(fetchRemote) } : settings;
}

/**
 * Reads the site and watches its folder. Pages are rendered when they are requested. Nothing is written to the folder.
 */
export async function openDevServer(options: DevOptions): Promise<DevServer> {
  const settings = addRemoteCache(options.settings);
  const filesHandler = Promise.withResolvers<(files: readonly string[]) => Promise<void>>();
  // Watching starts before the site is read, so that no change in the meantime is missed.
  using watchResources = new DisposableStack();
  watchResources.use(
    await watchFolder(settings.siteDir, async (files) => (await filesHandler.promise)(files)),
  );
  await using resources = new AsyncDisposableStack();
  const preview = resources.use(await openPreview(settings));
  const listeners = createOpenWindows((page) => listFaults(page, preview, options));
  resources.defer(() => listeners.close());
  resources.use(watchResources.move());
  const lastReported: Pick<SitePreview, "failure" | "site"> = {
    failure: undefined,
    site: preview.site,
  };
  const reportSite = () => {
    if (lastReported.failure?.message !== preview.failure?.message)
      options.onFailure(preview.failure);
    if (preview.site && lastReported.site !== preview.site)
      options.onProblems("", preview.site.problems);
    Object.assign(lastReported, { failure: preview.failure, site: preview.site });
  };
  reportSite();
  filesHandler.resolve(async (files) => {
    try {
      await refreshPreview(files, preview, listeners);
      reportSite();
    } catch (error) {
      options.onFault(error);
    }
  });
  const server = await createPreviewServer({ preview, listeners, onFault: options.onFault });
  resources.defer(() => closeServer(server));
  const ownedResources = resources.move();
  return {
    server,
    site: preview.site,
    [Symbol.asyncDispose]: () => ownedResources.disposeAsync(),
  };
}

async function refreshPreview(
  files: readonly string[],
  preview: SitePreview,
  listeners: OpenWindows,
): Promise<void> {
  const change = await preview.refresh(files);
  for (const page of listeners.listShownPages()) {
    // Rendering starts before the browser is notified. Errors are reported when the browser requests the page.
    if (change.affects(page)) preview.find(`${page}.html`).catch(() => undefined);
  }
  listeners.notify(change);
}

/** Returns the problems to show on a page: the reason why the folder cannot be read, and the page's errors. */
async function listFaults(
  path: string,
  preview: SitePreview,
  { onProblems }: DevOptions,
): Promise<readonly PageFault[]> {
  const { failure, site } = preview;
  const siteFaults = failure === undefined ? [] : [{ place: "", message: failure.message }];
  const found = await preview.find(`${path}.html`);
  if (found?.type !== "page" || site === undefined) return siteFaults;
  const problems = listPageProblems(site, found);
  onProblems(path, problems);
  const errors = problems.filter(({ severity }) => severity === "error");
  return [
    ...siteFaults,
    ...errors.map(({ file, line, column, message }) => ({
      // The location in the source, e.g. `guides/start.mdx:14:8`.
      place: [file, line, column].filter((part) => part !== undefined).join(":"),
      message,
    })),
  ];
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/**
 * Returns the problems that a check of the whole site would report for one page: in its own file, in the snippets that
 * it includes, and with its links and files. Excludes anchors on other pages, which only the full check can verify.
 */
function listPageProblems(
  site: Site,
  { page, rendered }: { readonly page: SitePage; readonly rendered: RenderedPage },
): readonly Problem[] {
  const files = new Set([page.file, ...Object.keys(rendered.dependencies)]);
  return checkSite(site, [{ page, rendered }]).filter(({ file }) => files.has(file));
}

/**
 * Returns a function that fetches each address once and then returns the same response again. Failed requests are
 * repeated.
 */
export function cacheResponses(fetchRemote: FetchRemote): FetchRemote {
  const responses = new Map<string, ReturnType<FetchRemote>>();
  return async (url, options) => {
    const response = responses.get(url) ?? fetchRemote(url, options);
    responses.set(url, response);
    try {
      return await response;
    } catch (error) {
      responses.delete(url);
      throw error;
    }
  };
}
