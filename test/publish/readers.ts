import { once } from "node:events";
import { Agent, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { createRandom } from "../support/random.ts";
import { isThemeFile, pageCount, recognizePage, themeFiles } from "./marked-site.ts";

/** Readers of a site who come at a steady rate, through something that passes each request on to one of the nodes. */
export interface Readers extends AsyncDisposable {
  readonly count: ReadCount;
  /** Sentences on what readers must not get: other bytes, files of another deployment, or no answer. */
  readonly faults: readonly string[];
  /** Sets what fails at the moment: nothing, by default. */
  setFailing(failing: Failing): void;
}

/**
 * If a node fails, readers are passed on to another one when the connection breaks, as a proxy does. If anything may
 * fail, nodes may also refuse to answer for a moment.
 */
type Failing = "nothing" | "a node" | "anything";

export interface ReadCount {
  pages: number;
  /** Pages that a reader had, and that have not changed. */
  kept: number;
  files: number;
  /** Requests that another node answered. */
  passedOn: number;
  /** Requests that no node could answer, while anything might fail. */
  refused: number;
  /** Pages that nobody began to read, because too many were being read. */
  skipped: number;
}

export interface ReadersOptions {
  readonly host: string;
  readonly ports: readonly number[];
  /** Pages a second. */
  readonly rate: number;
  readonly seed: number;
}

interface SiteAnswer {
  readonly status: number | undefined;
  readonly tag: string;
  readonly text: string;
}

/** People with a browser each, which keeps pages, and files that never change. */
const people = 40;
const turnMs = 50;
const maxReading = 400;
const maxFaults = 20;
/** A reader searches so long after the page was loaded. */
const searchAfterMs = 3_000;

/** Starts readers, who come until they are disposed. */
export function startReaders({ host, ports, rate, seed }: ReadersOptions): Readers {
  const agents = ports.map((port) => new Agent({ keepAlive: true, port, host: "127.0.0.1" }));
  const random = createRandom(seed);
  const count: ReadCount = { pages: 0, kept: 0, files: 0, passedOn: 0, refused: 0, skipped: 0 };
  const faults: string[] = [];
  const leaving = new AbortController();
  const reading = new Set<Promise<void>>();
  let failing: Failing = "nothing";
  let turns = 0;

  async function askNode(at: number, path: string, headers: Record<string, string>) {
    const sent = request({
      agent: agents[at % agents.length],
      path,
      headers: { host, ...headers },
    });
    sent.end();
    const [response] = await once(sent, "response");
    return { response, body: await buffer(response) };
  }

  async function ask(path: string, headers: Record<string, string>): Promise<SiteAnswer> {
    const at = (turns += 1);
    const { response, body } = await askNode(at, path, headers).catch(async (error: unknown) => {
      if (failing === "nothing") throw error;
      count.passedOn += 1;
      return await askNode(at + 1, path, headers);
    });
    const { etag: tag = "", "content-encoding": encoding } = response.headers;
    const isRefused = response.statusCode === 503 && "retry-after" in response.headers;
    if (isRefused && failing === "anything") throw new Error("The node refused to answer.");
    const plain = encoding === "gzip" && body.length > 0 ? gunzipSync(body) : body;
    return { status: response.statusCode, tag, text: plain.toString() };
  }

  const browsers = Array.from({ length: people }, () => ({
    tags: new Map<string, string>(),
    files: new Set<string>(),
  }));

  async function readPage(): Promise<void> {
    const person = Math.floor(random() * people);
    const browser = browsers[person];
    if (!browser) return;
    const at = Math.floor(random() * pageCount);
    const path = `/pages/${at}`;
    const packed: Record<string, string> = person % 3 === 0 ? {} : { "accept-encoding": "gzip" };
    const known = browser.tags.get(path);
    const page = await ask(path, {
      ...packed,
      ...(known !== undefined && { "if-none-match": known }),
    });
    if (page.status === 304 && known === page.tag) {
      count.kept += 1;
      return;
    }
    const marked = page.status === 200 ? recognizePage(page.text, at) : undefined;
    if (!marked) return fail(`${path} answered ${page.status}: ${page.text.slice(0, 300)}`);
    count.pages += 1;
    browser.tags.set(path, page.tag);
    const { number, files } = marked;
    for (const [index, file] of themeFiles.entries()) {
      if (browser.files.has(files + file)) continue;
      if (index === 2) await sleep(searchAfterMs * random(), undefined, { signal: leaving.signal });
      const { status, text } = await ask(`/${files}${file}`, packed);
      const isRight = status === 200 && isThemeFile(text, number, file);
      if (!isRight) fail(`${file} of ${path} of ${number} answered ${status}: ${text}`);
      browser.files.add(files + file);
      count.files += 1;
    }
  }

  function fail(fault: string): void {
    if (faults.length < maxFaults) faults.push(fault);
  }

  function begin(): void {
    if (reading.size >= maxReading) {
      count.skipped += 1;
      return;
    }
    const one = readPage()
      .catch((error: unknown) => {
        if (leaving.signal.aborted) return;
        if (failing === "anything") count.refused += 1;
        else fail(`A page was not answered: ${String(error)}`);
      })
      .finally(() => reading.delete(one));
    reading.add(one);
  }

  const coming = setInterval(() => {
    for (let one = 0; one < (rate * turnMs) / 1_000; one += 1) begin();
  }, turnMs);
  return {
    count,
    faults,
    setFailing: (now) => void (failing = now),
    async [Symbol.asyncDispose]() {
      clearInterval(coming);
      leaving.abort();
      await Promise.all(reading);
      for (const agent of agents) agent.destroy();
    },
  };
}
