import type { ServerResponse } from "node:http";
import type { PreviewChange } from "@octavo/site";

/** A sentence for the person who looks at a page. */
export interface Fault {
  /** `guides/start.mdx:14:8` */
  readonly place: string;
  readonly message: string;
}

/** The windows that listen: they are told when what they show has changed, and what is wrong with it. */
export interface Listeners {
  /** Of the page as it is now. A window that says a later one or an unknown one loads its page again. */
  readonly version: number;
  /** Answers with server-sent events until the window goes. `version` is that of the page that it shows. */
  add(response: ServerResponse, shown: { readonly page: string; readonly version: number }): void;
  /** Has windows load their page again where the change affects it, and shows the others what is wrong now. */
  tell(change: PreviewChange): void;
  /** The paths of pages that are shown now. */
  shownPages(): ReadonlySet<string>;
  close(): void;
}

/** Changes that are remembered for windows that come back; who was away longer loads its page again. */
const keptChanges = 100;
/** More windows than this are no person's. */
const mostListeners = 200;
/** A comment this often finds connections that are gone. */
const heartbeatMs = 20_000;

interface Listener {
  readonly response: ServerResponse;
  readonly page: string;
}

export function createListeners(faultsOf: (page: string) => Promise<readonly Fault[]>): Listeners {
  // Later than any of a server that ran here before.
  const first = Date.now();
  const changes: PreviewChange[] = [];
  let version = first;
  const listeners = new Set<Listener>();
  const heartbeat = setInterval(() => {
    for (const { response } of listeners) response.write(":\n\n");
  }, heartbeatMs).unref();

  function isOld({ page, version: shown }: { page: string; version: number }): boolean {
    const missed = version - shown;
    if (missed === 0) return false;
    if (!(missed > 0 && missed <= changes.length)) return true;
    return changes.slice(-missed).some((change) => change.affects(page));
  }
  async function showFaults(listener: Listener): Promise<void> {
    const asked = version;
    const faults = await faultsOf(listener.page).catch(() => []);
    if (asked === version && listeners.has(listener)) send(listener, "faults", faults);
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
      if (isOld(shown) || listeners.size >= mostListeners) {
        send(listener, isOld(shown) ? "reload" : "full", null);
        response.end();
        return;
      }
      response.write("retry: 500\n\n");
      listeners.add(listener);
      response.once("close", () => listeners.delete(listener));
      void showFaults(listener);
    },
    tell(change) {
      version += 1;
      changes.push(change);
      if (changes.length > keptChanges) changes.shift();
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
