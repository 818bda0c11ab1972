import { OctavoError } from "@octavo/site/core";

type Ask = (question: string) => Promise<string>;

const kept: Buffer[] = [];

/** What a test has done in a process of its own. */
const operations = {
  echo: (value: unknown) => value,
  ask: async ({ ask }: { readonly ask: Ask }) => await ask("a question"),
  passOn: async ({ fail }: { readonly fail: () => Promise<void> }) => await fail(),
  fail: () => {
    throw new OctavoError("site_invalid", "No pages.", {
      details: { pages: 0 },
      cause: Object.assign(new Error("full"), { code: "ENOSPC" }),
    });
  },
  failure: () => ({ error: new OctavoError("too_large", "Too large.") }),
  untilAborted: async (signal: AbortSignal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    return await promise;
  },
  compute: () => {
    for (;;);
  },
  fill: () => {
    const held: Buffer[] = [];
    for (;;) held.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  fillHeap: () => {
    const held: number[][] = [];
    for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => index));
  },
  keep: (bytes: number) => {
    kept.push(Buffer.alloc(bytes, 1));
    return process.pid;
  },
  crash: () => process.abort(),
  environment: () => ({ ...process.env }),
  id: () => process.pid,
};

export const createOperations = () => operations;
