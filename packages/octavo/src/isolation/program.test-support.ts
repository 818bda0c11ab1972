import { OctavoError } from "@octavo/site/core";

interface Questions {
  readonly ask: (question: string) => Promise<string>;
  readonly signal?: AbortSignal;
}

/** The operations that a test runs in a separate process. */
export interface TestOperations {
  echo(value: unknown): Promise<unknown>;
  ask(questions: Questions): Promise<string>;
  passOn(work: { readonly fail: () => Promise<void> }): Promise<void>;
  fail(): Promise<void>;
  failure(): Promise<{ readonly error: OctavoError }>;
  untilAborted(signal: AbortSignal): Promise<void>;
  compute(): Promise<void>;
  fill(): Promise<void>;
  fillHeap(): Promise<void>;
  keep(bytes: number): Promise<number>;
  crash(): Promise<void>;
  environment(): Promise<Readonly<Record<string, string | undefined>>>;
  id(): Promise<number>;
}

const kept: Buffer[] = [];

const operations: TestOperations = {
  echo: async (value) => value,
  ask: async ({ ask }) => await ask("a question"),
  passOn: async ({ fail }) => await fail(),
  fail: async () => {
    throw new OctavoError("site_invalid", "No pages.", {
      details: { pages: 0 },
      cause: Object.assign(new Error("full"), { code: "ENOSPC" }),
    });
  },
  failure: async () => ({ error: new OctavoError("too_large", "Too large.") }),
  untilAborted: async (signal) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    return await promise;
  },
  compute: async () => {
    for (;;);
  },
  fill: async () => {
    const held: Buffer[] = [];
    for (;;) held.push(Buffer.alloc(16 * 1024 * 1024, 1));
  },
  fillHeap: async () => {
    const held: number[][] = [];
    for (;;) held.push(Array.from({ length: 100_000 }, (_, index) => index));
  },
  keep: async (bytes) => {
    kept.push(Buffer.alloc(bytes, 1));
    return process.pid;
  },
  crash: async () => process.abort(),
  environment: async () => ({ ...process.env }),
  id: async () => process.pid,
};

export const createOperations = () => operations;
