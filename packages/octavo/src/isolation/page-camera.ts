import { spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { createTimeoutSignal, OctavoError } from "@octavo/site/core";
import { createSlots } from "../core/index.ts";
import type { DrawnPage, DrawPage } from "../core/index.ts";

const pageWidth = 1_280;
/** The maximum height of a picture. Models scale taller pictures down until the text is illegible. */
const maxHeight = 2_400;
const jpegQuality = 80;
/** The time limit for drawing a page. A page with many pictures takes about a second. */
const drawTimeoutMs = 20_000;

/**
 * Chromium's arguments. All requests, including those to this machine, go to a proxy port on which nothing listens, so
 * that a page cannot reach another host even if it contains an address.
 */
const chromiumFlags: readonly string[] = [
  "--headless",
  "--remote-debugging-pipe",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-domain-reliability",
  "--disable-extensions",
  "--disable-gpu",
  "--disable-sync",
  "--hide-scrollbars",
  "--no-default-browser-check",
  "--no-first-run",
  "--proxy-bypass-list=<-loopback>",
  "--proxy-server=http://127.0.0.1:9",
];

interface PageCameraOptions {
  /** The path of Chromium. */
  readonly program: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Called with a sentence for the operator if the browser fails. */
  readonly onFailure: (sentence: string) => void;
}

/**
 * Creates a function that renders pages with Chromium, one at a time. Each picture has its own browser, so that pages
 * of different projects share nothing.
 */
export function createPageCamera(options: PageCameraOptions): DrawPage {
  const slots = createSlots(1);
  return (document, signal) => slots.run(() => drawPage(options, document, signal));
}

async function drawPage(
  options: PageCameraOptions,
  document: string,
  signal: AbortSignal,
): Promise<DrawnPage> {
  signal.throwIfAborted();
  const profile = await mkdtemp(join(tmpdir(), "octavo-browser-"));
  const browser = startBrowser(options, profile);
  const stopSignal = AbortSignal.any([signal, createTimeoutSignal(drawTimeoutMs)]);
  stopSignal.addEventListener("abort", browser.kill, { once: true });
  try {
    // The signal may have been aborted before the listener was added.
    stopSignal.throwIfAborted();
    return await drawDocument(browser.connection, document);
  } catch (cause) {
    signal.throwIfAborted();
    const reason = stopSignal.aborted
      ? "did not draw it in time"
      : "failed to start or exited early";
    options.onFailure(
      `${options.program} ${reason}: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
    throw new OctavoError("unavailable", `There is no picture of the page, because the browser ${reason}.`, { cause }); // prettier-ignore
  } finally {
    stopSignal.removeEventListener("abort", browser.kill);
    browser.kill();
    await browser.exited;
    await rm(profile, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface StartedBrowser {
  readonly connection: DevToolsConnection;
  /** Kills the browser with all of its processes. */
  readonly kill: () => void;
  readonly exited: Promise<void>;
}

function startBrowser(
  { program, environment }: PageCameraOptions,
  profile: string,
): StartedBrowser {
  // Chromium refuses to start as root with its sandbox enabled. No script runs in any case.
  const sandbox = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  const child = spawn(
    program,
    [...chromiumFlags, ...sandbox, `--user-data-dir=${profile}`, "about:blank"],
    {
      cwd: profile,
      env: { ...environment, HOME: profile, TMPDIR: profile },
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
      // A separate process group, because the program may be a script that starts the browser.
      detached: true,
    },
  );
  const connection = openDevTools(child);
  const { promise: exited, resolve } = Promise.withResolvers<void>();
  const end = (cause: Error): void => {
    connection.close(cause);
    resolve();
  };
  child.once("error", end);
  child.once("exit", (code) => end(new Error(`The browser exited with ${code}.`)));
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  };
  return { connection, kill, exited };
}

/** A connection that uses the Chrome DevTools Protocol. */
interface DevToolsConnection {
  /** Sends a command, to a page if its session is given. Rejects if the browser rejects the command or exits. */
  send<Result>(method: string, params?: object, session?: string): Promise<Result>;
  close(cause: Error): void;
}

/** Opens the connection over file descriptors 3 and 4. Messages are JSON, each terminated by a zero byte. */
function openDevTools({ stdio }: ChildProcess): DevToolsConnection {
  const [, , , commands, responses] = stdio as unknown as readonly [
    null,
    null,
    null,
    Writable,
    Readable,
  ];
  const pendingCommands = new Map<number, PromiseWithResolvers<unknown>>();
  let closeCause: Error | undefined;
  let lastId = 0;
  let pendingChunks: Buffer[] = [];
  function receive(message: Buffer): void {
    const { id, result, error } = JSON.parse(message.toString()) as {
      readonly id?: number;
      readonly result?: unknown;
      readonly error?: { readonly message: string };
    };
    const pendingCommand = id === undefined ? undefined : pendingCommands.get(id);
    if (id === undefined || !pendingCommand) return;
    pendingCommands.delete(id);
    if (error) pendingCommand.reject(new Error(error.message));
    else pendingCommand.resolve(result);
  }
  responses.on("data", (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, from)) {
      receive(Buffer.concat([...pendingChunks, chunk.subarray(from, end)]));
      pendingChunks = [];
      from = end + 1;
    }
    pendingChunks.push(chunk.subarray(from));
  });
  // Errors of the streams are ignored, because the exit of the process explains them.
  for (const stream of [commands, responses]) stream.on("error", () => undefined);
  return {
    send<Result>(method: string, params: object = {}, session?: string) {
      const response = Promise.withResolvers<unknown>();
      if (closeCause) return Promise.reject(closeCause);
      const id = ++lastId;
      pendingCommands.set(id, response);
      commands.write(`${JSON.stringify({ id, method, params, sessionId: session })}\0`);
      return response.promise as Promise<Result>;
    },
    close(cause) {
      closeCause = cause;
      for (const answer of pendingCommands.values()) answer.reject(cause);
      pendingCommands.clear();
    },
  };
}

async function drawDocument(connection: DevToolsConnection, document: string): Promise<DrawnPage> {
  const { targetId } = await connection.send<{ readonly targetId: string }>("Target.createTarget", {
    url: "about:blank",
  });
  const { sessionId } = await connection.send<{ readonly sessionId: string }>(
    "Target.attachToTarget",
    { targetId, flatten: true },
  );
  const send = <Result>(method: string, params?: object) =>
    connection.send<Result>(method, params, sessionId);
  await send("Emulation.setScriptExecutionDisabled", { value: true });
  // Every request remains unanswered, so that no page can navigate elsewhere or show an error.
  await send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
  // The window is as tall as the tallest picture, so that lazy-loaded images are loaded.
  const metrics = { width: pageWidth, height: maxHeight, deviceScaleFactor: 1, mobile: false };
  await send("Emulation.setDeviceMetricsOverride", metrics);
  const { frameTree } = await send<{ readonly frameTree: { readonly frame: { readonly id: string } } }>("Page.getFrameTree"); // prettier-ignore
  await send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: document });
  const { cssContentSize } = await send<{ readonly cssContentSize: { readonly height: number } }>("Page.getLayoutMetrics"); // prettier-ignore
  const height = Math.max(1, Math.ceil(cssContentSize.height));
  const drawnHeight = Math.min(height, maxHeight);
  const clip = { x: 0, y: 0, width: pageWidth, height: drawnHeight, scale: 1 };
  const { data } = await send<{ readonly data: string }>("Page.captureScreenshot", { format: "jpeg", quality: jpegQuality, clip }); // prettier-ignore
  return { jpeg: Buffer.from(data, "base64"), height, drawnHeight };
}
