import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { OctavoError, createInputError } from "@octavo/site/core";
import { callGateway } from "../../git/index.ts";
import type { GatewayResponse } from "../../git/index.ts";
import type { HostingTools } from "../tools.ts";
import { readCurrentState, updateCopy } from "../copy/hosted-copy.ts";
import {
  isDeletion,
  readPushHeader,
  formatRefusalReport,
  refuseRefName,
  formatPushAdvertisement,
} from "./push-commands.ts";
import type { PushCommand, PushHeader } from "./push-commands.ts";
import { explainFailure, publishStaged, openPushStaging } from "./serve-push.ts";
import type { DescribeMovedRefs, StagedPush } from "./serve-push.ts";
import type { HostedRepository } from "../repository-store.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

export interface ServeRequest {
  readonly repository: HostedRepository;
  /** `git-upload-pack` sends commits, `git-receive-pack` receives them. */
  readonly service: GitService;
  /**
   * The part of the service that is requested: its list of refs (`GET .../info/refs?service=`), or the service itself
   * (`POST`).
   */
  readonly call: "refs" | "service";
  readonly rules: ReceiveRules;
  readonly describeMovedRefs?: DescribeMovedRefs | undefined;
  /** Stops git. A client that disconnects also stops git. */
  readonly signal?: AbortSignal | undefined;
}

/** The rules of a push, in addition to the general rule that only branches and tags with valid names are accepted. */
interface ReceiveRules {
  /** Short names of branches that cannot be deleted or force-pushed. */
  readonly protectedBranches: readonly string[];
  /**
   * Returns the reason why a ref may not be moved, in a few words without a period, or undefined if it may be moved.
   */
  readonly refuse?: (command: PushCommand) => string | undefined;
}

interface ServeResult {
  /** The client's commands that were passed to git. Git may have rejected some of them. */
  readonly commands: readonly PushCommand[];
}

/**
 * The maximum size of a clone's request. Usually, the request has a few kilobytes; for a huge repository, it has
 * several megabytes.
 */
const maxRequestBytes = 10 * 1024 * 1024;

/**
 * Handles one request of git's smart HTTP protocol for a hosted repository. The caller must have authorized the
 * request; with `git-receive-pack`, the client may write. No part of the request's address reaches git, hooks do not
 * run, and every received object is checked. The client reads the state that all nodes share, and a push that was
 * reported as successful is not lost if a node fails.
 *
 * Throws `invalid_input` and `too_large` before the response starts. A transfer that fails later is aborted, so that no
 * client considers it complete.
 */
export async function serveGit(
  tools: HostingTools,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  plan: ServeRequest,
): Promise<ServeResult> {
  const { request, response } = http;
  const disconnected = new AbortController();
  response.once("close", () => disconnected.abort());
  const signal = plan.signal
    ? AbortSignal.any([plan.signal, disconnected.signal])
    : disconnected.signal;
  if (plan.service === "git-receive-pack" && plan.call === "refs") {
    const state = await readCurrentState(tools, plan.repository, signal);
    const headers = {
      "content-type": `application/x-${plan.service}-advertisement`,
      ...uncachedHeaders,
    };
    response.writeHead(200, headers).end(formatPushAdvertisement(state));
    return { commands: [] };
  }
  const isPush = plan.service === "git-receive-pack";
  const maxBytes = isPush ? tools.limits.receiveBytes + maxRequestBytes : maxRequestBytes;
  const body =
    plan.call === "service" ? readBody(request, plan.service, maxBytes) : createEmptyBody();
  const head = isPush ? await readHeader(body) : undefined;
  const run = (path: string, receiveBytes = tools.limits.receiveBytes, rest = body) =>
    callGateway(tools, {
      settings: buildSettings(plan, head, receiveBytes),
      environment: buildEnvironment(request, plan, path),
      input: joinChunks(head?.bytes, rest),
      timeoutMs: tools.limits.transferMs,
      signal,
    });
  if (head) return await servePush(tools, response, { plan, head, body, run, signal });
  await updateCopy(tools, plan.repository, signal);
  await send(response, await run(plan.repository.path));
  return { commands: [] };
}

/**
 * Reads the head. If it is rejected, what remains of the body is discarded, because another request may follow on the
 * connection.
 */
async function readHeader(body: AsyncGenerator<Buffer>): Promise<PushHeader> {
  try {
    return await readPushHeader(body);
  } catch (error) {
    await body.return(undefined);
    throw error;
  }
}

interface IncomingPush {
  readonly plan: ServeRequest;
  readonly head: PushHeader;
  /** The body after the head. */
  readonly body: AsyncGenerator<Buffer>;
  /** Runs git to receive the push in a repository, with a pack of at most `receiveBytes`. */
  readonly run: (
    path: string,
    receiveBytes: number,
    body: AsyncGenerator<Buffer>,
  ) => Promise<GatewayResponse>;
  readonly signal: AbortSignal;
}

async function servePush(
  tools: HostingTools,
  response: ServerResponse,
  push: IncomingPush,
): Promise<ServeResult> {
  const { plan, head, run, signal } = push;
  const hosted = plan.repository;
  const refusals = findRefusals(head, plan.rules);
  if (refusals) {
    return await respondRejected(
      response,
      push,
      (command) => refusals.get(command) ?? "nothing was changed",
    );
  }
  await using opened = new AsyncDisposableStack();
  let staged: Pick<StagedPush, "allowance" | "state" | "staging">;
  try {
    const [state, allowance] = await Promise.all([
      readCurrentState(tools, hosted, signal),
      hosted.store.readAllowance(),
    ]);
    const staging = opened.use(await openPushStaging(tools, hosted, state));
    staged = { allowance, state, staging };
  } catch (error) {
    if (signal.aborted) throw error;
    const reason = explainFailure(tools, hosted, error);
    return await respondRejected(response, push, () => reason);
  }
  const { allowance, staging } = staged;
  const pack = countBytes(push.body);
  // Git interprets 0 as no limit.
  const receiveBytes = Math.max(1, Math.min(allowance.bytes, tools.limits.receiveBytes));
  const result = await run(staging.path, receiveBytes, pack.body);
  const isTooLarge = () => pack.getBytes() > allowance.bytes;
  await send(response, {
    ...result,
    body: publishStaged(
      tools,
      { hosted, head, ...staged, isTooLarge, describeMovedRefs: plan.describeMovedRefs },
      result,
    ),
  });
  return { commands: head.commands };
}

/** Reports that the push was rejected. Git shows the reasons to the user. */
async function respondRejected(
  response: ServerResponse,
  { plan, head, body }: IncomingPush,
  getReason: (command: PushCommand) => string,
): Promise<ServeResult> {
  // A client reads the response only after it has sent everything.
  for (let chunk = await body.next(); !chunk.done; chunk = await body.next());
  response.writeHead(200, {
    "content-type": `application/x-${plan.service}-result`,
    ...uncachedHeaders,
  });
  response.end(formatRefusalReport(head, getReason));
  return { commands: [] };
}

const uncachedHeaders = { "cache-control": "no-cache, max-age=0, must-revalidate" };

async function send(response: ServerResponse, result: GatewayResponse): Promise<void> {
  response.writeHead(result.status, result.headers);
  try {
    await pipeline(Readable.from(result.body), response);
  } catch {
    // The client disconnected, or git was stopped. Closing the connection informs the client.
    response.destroy();
  }
}

/**
 * Returns the reasons for rejecting the push, by command, or undefined if the push may proceed. One rejected ref causes
 * the whole push to be rejected.
 */
function findRefusals(head: PushHeader, rules: ReceiveRules): Map<PushCommand, string> | undefined {
  const reasons = new Map<PushCommand, string>();
  for (const command of head.commands) {
    const reason =
      refuseRefName(command) ?? refuseDeletion(command, rules) ?? rules.refuse?.(command);
    if (reason !== undefined) reasons.set(command, reason);
  }
  return reasons.size > 0 ? reasons : undefined;
}

function refuseDeletion(command: PushCommand, rules: ReceiveRules): string | undefined {
  const isRefused = isDeletion(command) && isProtected(command, rules);
  return isRefused ? "this branch may not be removed" : undefined;
}

function isProtected({ ref }: PushCommand, { protectedBranches }: ReceiveRules): boolean {
  return protectedBranches.some((branch) => ref === `refs/heads/${branch}`);
}

function buildSettings(
  { service, rules }: ServeRequest,
  head: PushHeader | undefined,
  receiveBytes: number,
): string[] {
  // Only git, which has the objects by then, can tell whether a push fast-forwards a branch. Git's setting applies to
  // all refs of a push, so it is set only if the refs include a protected branch.
  const hasProtectedBranch = head?.commands.some((command) => isProtected(command, rules)) ?? false;
  return [
    "http.getanyfile=false",
    "http.uploadpack=true",
    `http.receivepack=${service === "git-receive-pack"}`,
    "transfer.hideRefs=refs/octavo",
    "uploadpack.allowFilter=true",
    `receive.maxInputSize=${receiveBytes}`,
    `receive.denyNonFastForwards=${hasProtectedBranch}`,
    "receive.denyDeletes=false",
    "receive.advertisePushOptions=false",
    ...(head ? stagingSettings : []),
  ];
}

/** The repository's settings for one push. Its objects are packed and flushed afterwards. */
const stagingSettings = [
  "receive.unpackLimit=1",
  "receive.autoGC=false",
  "core.fsync=none",
  "pack.threads=1",
  // Keeps git from listing the copy's refs in a process; they are also this repository's refs.
  "core.alternateRefsCommand=true",
];

function buildEnvironment(
  request: IncomingMessage,
  { service, call }: ServeRequest,
  path: string,
): Record<string, string> {
  const version = String(request.headers["git-protocol"] ?? "");
  const isService = call === "service";
  return {
    GIT_PROJECT_ROOT: path,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: isService ? `/${service}` : "/info/refs",
    REQUEST_METHOD: isService ? "POST" : "GET",
    QUERY_STRING: isService ? "" : `service=${service}`,
    CONTENT_TYPE: isService ? `application/x-${service}-request` : "",
    ...(/^version=[012]$/.test(version) ? { GIT_PROTOCOL: version } : {}),
  };
}

/** Returns the decoded body, limited to `maxBytes`. */
async function* readBody(
  request: IncomingMessage,
  service: GitService,
  maxBytes: number,
): AsyncGenerator<Buffer, undefined> {
  if (request.headers["content-type"] !== `application/x-${service}-request`) {
    throw createInputError("The request's content type is not the one that git sends.");
  }
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    throw createTooLargeError(maxBytes);
  let bytes = 0;
  try {
    for await (const chunk of decompressBody(request)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw createTooLargeError(maxBytes);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw new OctavoError("invalid_input", "The request's body is incomplete or damaged.", {
      cause,
    });
  } finally {
    // A client reads the response only after it has sent everything, so what remains of the body is read and discarded.
    // This happens one event loop turn later, when the iteration has released the request.
    setImmediate(() => request.resume());
  }
  return undefined;
}

function decompressBody(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return request.iterator({ destroyOnReturn: false });
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw createInputError("The body must be uncompressed or compressed with gzip.");
  }
  const gunzip = createGunzip();
  request.once("error", (error) => gunzip.destroy(error));
  return request.pipe(gunzip);
}

function countBytes(body: AsyncGenerator<Buffer>) {
  let bytes = 0;
  async function* countChunks(): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  return { body: countChunks(), getBytes: () => bytes };
}

async function* createEmptyBody(): AsyncGenerator<Buffer, undefined> {}

async function* joinChunks(
  first: Buffer | undefined,
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    if (first) yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function createTooLargeError(bytes: number): OctavoError {
  return new OctavoError(
    "too_large",
    `A push can have at most ${Math.round(bytes / 1024 ** 2).toLocaleString("en")} MB; push it in parts.`,
  );
}
