import type { ServerResponse } from "node:http";
import type { PreviewChange } from "@octavo/site";

/** A message shown on a page. */
export interface PageFault {
  /** `guides/start.mdx:14:8` */
  readonly place: string;
  readonly message: string;
}

/** The open windows. They are notified of the errors of the page that they show, and when the page has changed. */
export interface OpenWindows {
  /** The current version of the site. A window that reports a later or unknown version is told to reload its page. */
  readonly version: number;
  /** Sends server-sent events until the window closes. `version` is the version of the page that the window shows. */
  add(response: ServerResponse, shown: { readonly page: string; readonly version: number }): void;
  /** Makes windows reload if the change affects their page, and sends other windows the current errors of theirs. */
  notify(change: PreviewChange): void;
  /** Returns the paths of the pages that are open in windows. */
  shownPages(): ReadonlySet<string>;
  close(): void;
}

/**
 * The maximum number of changes that are stored for windows that reconnect. A window that missed more changes reloads
 * its page.
 */
const maxStoredChanges = 100;
/** The maximum number of windows, which is more than a person opens. */
const maxListeners = 200;
/** The interval at which a comment is sent, to detect closed connections. */
const heartbeatMs = 20_000;

interface Listener {
  readonly response: ServerResponse;
  readonly page: string;
}

export function createListeners(
  faultsOf: (page: string) => Promise<readonly PageFault[]>,
): OpenWindows {
  // The first version is later than every version of a server that ran here before.
  const first = Date.now();
  const changes: PreviewChange[] = [];
  let version = first;
  const listeners = new Set<Listener>();
  const heartbeat = setInterval(() => {
    for (const { response } of listeners) response.write(":\n\n");
  }, heartbeatMs).unref();

  function isOutdated({ page, version: shown }: { page: string; version: number }): boolean {
    const missed = version - shown;
    if (missed === 0) return false;
    if (!(missed > 0 && missed <= changes.length)) return true;
    return changes.slice(-missed).some((change) => change.affects(page));
  }
  async function showFaults(listener: Listener): Promise<void> {
    const askedVersion = version;
    const faults = await faultsOf(listener.page).catch(() => []);
    if (askedVersion === version && listeners.has(listener)) send(listener, "faults", faults);
  }
  return {
    get version() {
      return version;
    },
    add(response, shown) {
      response.writeHead(200, {
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-store",
      });
      const listener = { response, page: shown.page };
      if (isOutdated(shown) || listeners.size >= maxListeners) {
        send(listener, isOutdated(shown) ? "reload" : "full", null);
        response.end();
        return;
      }
      response.write("retry: 500\n\n");
      listeners.add(listener);
      response.once("close", () => listeners.delete(listener));
      void showFaults(listener);
    },
    notify(change) {
      version += 1;
      changes.push(change);
      if (changes.length > maxStoredChanges) changes.shift();
      for (const listener of listeners) {
        if (change.affects(listener.page)) send(listener, "reload", null);
        else void showFaults(listener);
      }
    },
    shownPages: () => new Set([...listeners].map(({ page }) => page)),
    close() {
      clearInterval(heartbeat);
      for (const { response } of listeners) response.end();
    },
  };
}

function send({ response }: Listener, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
