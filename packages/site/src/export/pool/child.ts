/** The program of a render child: takes pages one after the other, requests snippets, returns HTML. */
import { receiveSetup } from "./protocol.ts";
import type { PageTask, ParentMessage, ChildMessage, SentSetup } from "./protocol.ts";
import { createDocumentRenderer, createRenderTools } from "./document-renderer.ts";
import type { DocumentRenderer } from "./document-renderer.ts";
import { growYoungGeneration, longRunPages, tuneForLongRun } from "./engine-flags.ts";

function send(message: ChildMessage): void {
  process.send?.(message);
}

interface FileReader {
  /** Requests a file of the site from the parent. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly deliver: (request: number, text: string | undefined) => void;
}

function createFileReader(): FileReader {
  let lastRequest = 0;
  const waiting = new Map<number, (text: string | undefined) => void>();
  return {
    read(path: string): Promise<string | undefined> {
      const request = ++lastRequest;
      send({ type: "read", request, path });
      return new Promise((resolve) => waiting.set(request, resolve));
    },
    deliver(request: number, text: string | undefined): void {
      waiting.get(request)?.(text);
      waiting.delete(request);
    },
  };
}

export function main(): void {
  const files = createFileReader();
  const tools = createRenderTools();
  let renderer: DocumentRenderer | undefined;
  let queue: Promise<void> = Promise.resolve();
  let pages = 0;

  async function render(id: number, task: PageTask): Promise<void> {
    pages += 1;
    if (pages === longRunPages) {
      tuneForLongRun();
      growYoungGeneration();
    }
    try {
      if (!renderer) throw new Error("A page arrived before the setup.");
      const page = await renderer.render(task);
      send({ type: "rendered", id, page });
    } catch (error) {
      send({ type: "failed", id, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  function start(setup: SentSetup): void {
    renderer = createDocumentRenderer(receiveSetup(setup), { ...tools, readFile: files.read });
    send({ type: "ready" });
  }

  process.on("message", (message: ParentMessage) => {
    if (message.type === "setup") queue = queue.then(() => start(message.setup));
    else if (message.type === "file") files.deliver(message.request, message.text);
    else queue = queue.then(() => render(message.id, message.task));
  });
  process.on("disconnect", () => process.exit(0));
}
