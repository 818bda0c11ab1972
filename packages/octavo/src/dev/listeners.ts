import type { ServerResponse } from "node:http";
import type { PreviewChange } from "@octavo/site";

/** A message shown on a page. */
export interface PageFault {
  /** The location in the source, e.g. `guides/start.mdx:14:8`. */
  readonly place: string;
  readonly message: string;
}

/** The open browser windows. Each is notified when its page has changed, and receives the page's errors. */
export interface OpenWindows {
  /** The current version of the site. A window that reports a later or unknown version must reload its page. */
  readonly version: number;
  /** Sends server-sent events until the window closes. `version` is the version of the page that the window shows. */
  add(response: ServerResponse, shown: { readonly page: string; readonly version: number }): void;
  /**
   * Reloads the windows whose page the change affects, and sends each of the other windows the current errors of its
   * page.
   */
  notify(change: PreviewChange): void;
  /** Returns the paths of the pages that are open in windows. */
  listShownPages(): ReadonlySet<string>;
  close(): void;
}

/**
 * The maximum number of changes that are stored for windows that reconnect. A window that missed more changes reloads
 * its page.
 */
const maxStoredChanges = 100;
/** The maximum number of windows. Nobody opens this many. */
const maxListeners = 200;
/** The interval at which a comment is sent, to detect closed connections. */
const heartbeatMs = 20_000;

interface Listener {
  readonly response: ServerResponse;
  readonly page: string;
}

export function createOpenWindows(
  listFaults: (page: string) => Promise<readonly PageFault[]>,
): OpenWindows {
  // The first version is higher than every version that an earlier server sent to windows that are
  // still open.
  const firstVersion = Date.now();
  const changes: PreviewChange[] = [];
  let version = firstVersion;
  const listeners = new Set<Listener>();
  const heartbeat = setInterval(() => {
    for (const { response } of listeners) response.write(":\n\n");
  }, heartbeatMs).unref();

  function isOutdated({ page, version: shown }: { page: string; version: number }): boolean {
    const missedChanges = version - shown;
    if (missedChanges === 0) return false;
    if (!(missedChanges > 0 && missedChanges <= changes.length)) return true;
    return changes.slice(-missedChanges).some((change) => change.affects(page));
  }
  async function showFaults(listener: Listener): Promise<void> {
    const requestedVersion = version;
    const faults = await listFaults(listener.page).catch(() => []);
    if (requestedVersion === version && listeners.has(listener))
      sendEvent(listener, "faults", faults);
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
        sendEvent(listener, isOutdated(shown) ? "reload" : "full", null);
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
        if (change.affects(listener.page)) sendEvent(listener, "reload", null);
        else void showFaults(listener);
      }
    },
    listShownPages: () => new Set([...listeners].map(({ page }) => page)),
    close() {
      clearInterval(heartbeat);
      for (const { response } of listeners) response.end();
    },
  };
}

function sendEvent({ response }: Listener, event: string, data: unknown): void {
  response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}
