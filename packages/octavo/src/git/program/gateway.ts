import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OctavoError } from "@octavo/site/core";
import { settingArguments, toleratedFaults } from "./environment.ts";
import type { RunningProcess } from "./processes.ts";
import { startGit } from "./tools.ts";
import type { GitTools } from "./tools.ts";

/** A run of `git http-backend`, which uses the Common Gateway Interface (RFC 3875). */
interface GatewayCall {
  /** Settings as `name=value`, passed before the command. */
  readonly settings: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The request's body, already decompressed. */
  readonly input: AsyncIterable<Buffer>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Throws if git was stopped before it finished. */
  readonly body: AsyncIterable<Buffer>;
}

const maxHeadBytes = 64 * 1024;
/** The headers that a client needs. Git's other headers are not passed on. */
const forwardedHeaders = new Set(["content-type", "cache-control", "expires", "pragma"]);

/**
 * Starts git and returns its response as soon as the headers are available. The caller must read the body to its end or
 * close it (`return`), which stops git and every process that it started.
 */
export async function callGateway(tools: GitTools, call: GatewayCall): Promise<GatewayResponse> {
  const faults = toleratedFaults.map((fault) => `receive.fsck.${fault}=ignore`);
  const settings = [...call.settings, ...faults].flatMap((setting) => ["-c", setting]);
  const git = await startGit(tools.processes, {
    args: [...settingArguments, ...settings, "http-backend"],
    env: { ...tools.home.environment, ...call.environment },
    hasInput: true,
  });
  const guard = guardProcess(git, call);
  // Git may respond before it has read everything, for example when a request is too large. This is
  // not a failure.
  const writing = pipeline(Readable.from(forwardErrors(call.input, guard)), git.stdin).catch(
    () => undefined,
  );
  const output = git.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  try {
    const { head, rest } = await readHead(output);
    return { ...parseHead(head), body: readBody(rest, output, { guard, writing }) };
  } catch (error) {
    guard.end();
    throw guard.getFailure() ?? error;
  }
}

interface ProcessGuard {
  /** Stops git, and makes the call throw `error`. */
  fail(error: unknown): void;
  getFailure(): unknown;
  /** Stops git if it is still running. */
  end(): void;
}

function guardProcess(git: RunningProcess, call: GatewayCall): ProcessGuard {
  let failure: unknown;
  const fail = (error: unknown): void => {
    failure ??= error;
    git.stop();
  };
  const onAbort = (): void => fail(new OctavoError("cancelled", "The transfer was stopped."));
  const timer = setTimeout(() => {
    fail(new OctavoError("too_large", "The transfer took too long and was stopped."));
  }, call.timeoutMs);
  call.signal.addEventListener("abort", onAbort, { once: true });
  if (call.signal.aborted) onAbort();
  const noteEnd = (): void => {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", onAbort);
  };
  void git.exited.then(noteEnd);
  return { fail, getFailure: () => failure, end: git.stop };
}

/**
 * If reading the body fails, stops git with that error, so that git does not treat the body as complete. Input that git
 * does not read is not an error.
 */
async function* forwardErrors(
  input: AsyncIterable<Buffer>,
  guard: ProcessGuard,
): AsyncGenerator<Buffer> {
  const chunks = input[Symbol.asyncIterator]();
  const readNext = async () => {
    try {
      return await chunks.next();
    } catch (error) {
      guard.fail(error);
      throw error;
    }
  };
  try {
    for (let chunk = await readNext(); !chunk.done; chunk = await readNext()) yield chunk.value;
  } finally {
    await chunks.return?.();
  }
}

async function readHead(output: AsyncIterator<Buffer>): Promise<{ head: string; rest: Buffer }> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const chunk = await output.next();
    if (chunk.done || bytes.length > maxHeadBytes) {
      throw new OctavoError("internal", "Git did not return a valid response.");
    }
    bytes = Buffer.concat([bytes, chunk.value]);
    const end = bytes.indexOf("\r\n\r\n");
    if (end >= 0) return { head: bytes.toString("latin1", 0, end), rest: bytes.subarray(end + 4) };
  }
}

function parseHead(head: string): { status: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  let status = 200;
  for (const line of head.split("\r\n")) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === "status") status = Number.parseInt(value, 10);
    else if (forwardedHeaders.has(name)) headers[name] = value;
  }
  return { status, headers };
}

async function* readBody(
  rest: Buffer,
  output: AsyncIterator<Buffer>,
  { guard, writing }: { readonly guard: ProcessGuard; readonly writing: Promise<void> },
): AsyncGenerator<Buffer> {
  try {
    if (rest.length > 0) yield rest;
    for (let chunk = await output.next(); !chunk.done; chunk = await output.next()) {
      yield chunk.value;
    }
    const failure = guard.getFailure();
    if (failure !== undefined) throw failure;
  } finally {
    guard.end();
    await writing;
  }
}
