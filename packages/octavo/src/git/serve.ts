import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { OctavoError } from "@octavo/site/core";
import { toleratedFaults } from "./environment.ts";
import { callGateway } from "./gateway.ts";
import type { GatewayAnswer } from "./gateway.ts";
import { isDeletion, readPushHead, refusalReport, refuseRefName } from "./push-commands.ts";
import type { PushCommand, PushHead } from "./push-commands.ts";
import type { HostedRepository } from "./repository.ts";
import type { GitTools } from "./tools.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

export interface ServeRequest {
  readonly repository: HostedRepository;
  /** `git-upload-pack` gives commits out, `git-receive-pack` takes them. */
  readonly service: GitService;
  /** What of the service: its list of refs (`GET .../info/refs?service=`), or itself (`POST`). */
  readonly call: "refs" | "service";
  readonly rules: ReceiveRules;
  /** Ends git; so does a client that goes away. */
  readonly signal?: AbortSignal | undefined;
}

/** What a push may do beyond what holds for every one: only branches and tags, with valid names. */
export interface ReceiveRules {
  /** Short names of branches that are neither removed nor moved by force. */
  readonly protectedBranches: readonly string[];
  /** Why a ref may not be moved, in a few words without a full stop; undefined where it may. */
  readonly refuse?: (command: PushCommand) => string | undefined;
}

export interface Served {
  /** Refs that the client asked to move and that were handed to git; git may have refused some. */
  readonly commands: readonly PushCommand[];
}

/** A clone asks for what it wants in a few kilobytes; one of a huge repository in some megabytes. */
const maximumQuestion = 10 * 1024 * 1024;

/**
 * Answers one request of git's smart HTTP protocol for a repository that the service keeps. Who asks,
 * and whether they may, was settled before: with `git-receive-pack` the caller may write. No part of
 * the request's address reaches git, no hook runs, and every object that comes is checked.
 *
 * Throws `invalid_input` and `too_large` while nothing was answered yet; a transfer that fails later
 * is cut off, so that no client takes it for whole.
 */
export async function serveGit(
  tools: GitTools,
  http: { readonly request: IncomingMessage; readonly response: ServerResponse },
  plan: ServeRequest,
): Promise<Served> {
  const { request, response } = http;
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const signal = plan.signal ? AbortSignal.any([plan.signal, gone.signal]) : gone.signal;
  const isPush = plan.service === "git-receive-pack" && plan.call === "service";
  const most = isPush ? tools.limits.receiveBytes + maximumQuestion : maximumQuestion;
  const body = plan.call === "service" ? readBody(request, plan.service, most) : noBody();
  const head = isPush ? await readPushHead(body) : undefined;
  const refused = head && refuse(head, plan.rules);
  if (head && refused) {
    for (let chunk = await body.next(); !chunk.done; chunk = await body.next());
    const content = refusalReport(head, (command) => refused.get(command) ?? "nothing was changed");
    response.writeHead(200, {
      "content-type": `application/x-${plan.service}-result`,
      ...uncached,
    });
    response.end(content);
    return { commands: [] };
  }
  const answer = await callGateway(tools, {
    settings: settingsFor(tools, plan, head),
    environment: environmentFor(request, plan),
    input: joined(head?.bytes ?? [], body),
    timeoutMs: tools.limits.transferMs,
    signal,
  });
  await send(response, answer);
  return { commands: head?.commands ?? [] };
}

const uncached = { "cache-control": "no-cache, max-age=0, must-revalidate" };

async function send(response: ServerResponse, answer: GatewayAnswer): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  try {
    await pipeline(Readable.from(answer.body), response);
  } catch {
    // The client went away, or git was ended: the connection is cut, and the client knows.
    response.destroy();
  }
}

/** The reasons by command; undefined where the push may go on. One refused ref refuses them all. */
function refuse(head: PushHead, rules: ReceiveRules): Map<PushCommand, string> | undefined {
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

function settingsFor(
  { limits }: GitTools,
  { service, rules }: ServeRequest,
  head: PushHead | undefined,
): string[] {
  // Only git, which has the objects by then, can tell whether a branch moves forward; its setting is
  // for all refs of a push, so it is given only where a protected branch is among them.
  const guards = head?.commands.some((command) => isProtected(command, rules)) ?? false;
  return [
    "http.getanyfile=false",
    "http.uploadpack=true",
    `http.receivepack=${service === "git-receive-pack"}`,
    "transfer.hideRefs=refs/octavo",
    "uploadpack.allowFilter=true",
    `receive.maxInputSize=${limits.receiveBytes}`,
    `receive.denyNonFastForwards=${guards}`,
    "receive.denyDeletes=false",
    "receive.advertisePushOptions=false",
    ...toleratedFaults.map((fault) => `receive.fsck.${fault}=ignore`),
  ];
}

function environmentFor(
  request: IncomingMessage,
  { repository, service, call }: ServeRequest,
): Record<string, string> {
  const version = String(request.headers["git-protocol"] ?? "");
  const isService = call === "service";
  return {
    GIT_PROJECT_ROOT: repository.path,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: isService ? `/${service}` : "/info/refs",
    REQUEST_METHOD: isService ? "POST" : "GET",
    QUERY_STRING: isService ? "" : `service=${service}`,
    CONTENT_TYPE: isService ? `application/x-${service}-request` : "",
    ...(/^version=[012]$/.test(version) ? { GIT_PROTOCOL: version } : {}),
  };
}

/** The body as it was meant, decompressed where it came so, and never more than `most` of it. */
async function* readBody(
  request: IncomingMessage,
  service: GitService,
  most: number,
): AsyncGenerator<Buffer, undefined> {
  if (request.headers["content-type"] !== `application/x-${service}-request`) {
    throw new OctavoError("invalid_input", "The content type is not that of git's protocol.");
  }
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);
  let bytes = 0;
  try {
    for await (const chunk of decompressed(request)) {
      bytes += chunk.length;
      if (bytes > most) throw tooLarge(most);
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw new OctavoError("invalid_input", "The request's body broke off or is damaged.", {
      cause,
    });
  } finally {
    // A client reads the answer when it has sent everything: what nobody wants is read into nothing,
    // a turn later, when the iteration has let go of the request.
    setImmediate(() => request.resume());
  }
  return undefined;
}

function decompressed(request: IncomingMessage): AsyncIterable<Buffer> {
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding === "identity") return request.iterator({ destroyOnReturn: false });
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw new OctavoError("invalid_input", "Bodies are taken plain or compressed by gzip.");
  }
  const gunzip = createGunzip();
  request.once("error", (error) => gunzip.destroy(error));
  return request.pipe(gunzip);
}

async function* noBody(): AsyncGenerator<Buffer, undefined> {}

async function* joined(
  first: readonly Buffer[],
  rest: AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function tooLarge(bytes: number): OctavoError {
  return new OctavoError(
    "too_large",
    `A push may hold at most ${Math.round(bytes / 1024 ** 2).toLocaleString("en")} MB; push it in parts.`,
  );
}
