import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { openTemporaryFolder } from "../../git/index.ts";
import type { GatewayResponse, TemporaryFolder } from "../../git/index.ts";
import type { HostingTools } from "../tools.ts";
import { formatPackedRefs } from "../copy/packed-refs.ts";
import {
  formatMessage,
  formatReport,
  hasSideBand,
  isDeletion,
  maxLineBytes,
  formatRefusalLine,
} from "./push-commands.ts";
import type { PushCommand, PushHeader } from "./push-commands.ts";
import { publishRefs } from "../publish.ts";
import type { Allowance, HostedRepository, RepositoryState } from "../repository-store.ts";

/** Returns lines that describe moved refs, given by their full names, to the person who pushed. */
export type DescribeMovedRefs = (refs: readonly string[]) => Promise<readonly string[]>;

export interface StagedPush {
  readonly hosted: HostedRepository;
  readonly head: PushHeader;
  /** The state from which the staging repository was created. */
  readonly state: RepositoryState;
  readonly allowance: Allowance;
  /** Reports whether the pack is larger than the allowance. Known after git has responded. */
  readonly isTooLarge: () => boolean;
  readonly describeMovedRefs: DescribeMovedRefs | undefined;
  readonly staging: TemporaryFolder;
}

/** Git's reason for a ref that has moved in the meantime. */
const movedReason = "fetch first";
/** The codes of errors whose messages are sent to the client. */
const shownCodes: ReadonlySet<string> = new Set([
  "too_large",
  "not_found",
  "conflict",
  "unavailable",
  "rate_limited",
]);
const failedReason = "the service could not store the push; try again";

/**
 * Returns git's response to a push into a staging repository. Its report is delayed until the refs that git accepted
 * are published, so that the report is true on every node. The caller must read the body to its end.
 */
export async function* publishStaged(
  tools: HostingTools,
  push: StagedPush,
  response: GatewayResponse,
): AsyncGenerator<Buffer> {
  const report = yield* holdReport(response.body, hasSideBand(push.head));
  const lines = parsePushReport(report);
  const accepted = selectAcceptedCommands(push.head, lines);
  const reasonsByRef = await publishAccepted(tools, push, accepted);
  const reportedLines = lines.map((line) => {
    const { accepted: name = "", notUnpacked } = reportLine.exec(line)?.groups ?? {};
    const reason = reasonsByRef.get(name);
    if (reason !== undefined) return formatRefusalLine(name, reason);
    if (notUnpacked !== undefined && push.isTooLarge())
      return formatRefusalLine(notUnpacked, push.allowance.reason);
    return line;
  });
  const movedRefs = accepted.map(({ ref }) => ref).filter((ref) => !reasonsByRef.has(ref));
  for (const line of await describeMoved(tools, push, movedRefs)) yield formatMessage(line);
  yield formatReport(push.head, reportedLines);
}

/** Returns the lines to show to the person. The refs have moved, so a failure to describe them is only logged. */
async function describeMoved(
  tools: HostingTools,
  { hosted, head, describeMovedRefs: describe }: StagedPush,
  movedRefs: readonly string[],
): Promise<readonly string[]> {
  if (!describe || movedRefs.length === 0 || !hasSideBand(head)) return [];
  try {
    return await describe(movedRefs);
  } catch (error) {
    tools.log("A push could not be described", { path: hosted.path, error });
    return [];
  }
}

/** A line about one ref in git's report. */
const reportLine = /^(?:ok (?<accepted>.+)|ng (?<notUnpacked>.+) unpacker error)\n$/;

function selectAcceptedCommands(
  head: PushHeader,
  lines: readonly string[],
): readonly PushCommand[] {
  const accepted = new Set(
    lines.flatMap((line) => reportLine.exec(line)?.groups?.["accepted"] ?? []),
  );
  return head.commands.filter(({ ref }) => accepted.has(ref));
}

/** Publishes the refs that git accepted. Returns those that did not move after all, with the reasons. */
async function publishAccepted(
  tools: HostingTools,
  { hosted, head, state, staging }: StagedPush,
  accepted: readonly PushCommand[],
): Promise<ReadonlyMap<string, string>> {
  if (accepted.length === 0) return new Map();
  const updates = accepted.map((command) => ({
    name: command.ref,
    to: isDeletion(command) ? null : command.newCommit,
    expected: state.refs.get(command.ref) ?? null,
  }));
  const isAtomic = head.capabilities.has("atomic");
  try {
    const lostNames = await publishRefs(tools, hosted, {
      state,
      updates,
      isAtomic,
      objects: [join(staging.path, "objects")],
    });
    const isRejected = isAtomic && lostNames.length > 0;
    const names = isRejected ? updates.map(({ name }) => name) : lostNames;
    return new Map(names.map((name) => [name, movedReason]));
  } catch (error) {
    const reason = explainFailure(tools, hosted, error);
    return new Map(updates.map(({ name }) => [name, reason]));
  }
}

/** Returns the reason why a push was not stored, for the report to the client. The log contains the details. */
export function explainFailure(
  tools: HostingTools,
  hosted: HostedRepository,
  error: unknown,
): string {
  tools.log("A push could not be stored", { path: hosted.path, error });
  const isShown = isOctavoError(error) && shownCodes.has(error.code);
  return isShown ? error.message.replace(/\.$/, "") : failedReason;
}

/** The maximum size of git's report on a push. Enough for 20,000 refs with long names and reasons. */
const maxReportBytes = 8 * 1024 * 1024;

/**
 * Splits git's response to a push. Passes on progress and keep-alives immediately, and returns the report of the
 * results.
 */
async function* holdReport(
  body: AsyncIterable<Buffer>,
  hasSideBand: boolean,
): AsyncGenerator<Buffer, Buffer> {
  const reportChunks: Buffer[] = [];
  let [reportBytes, rest]: [number, Buffer] = [0, Buffer.alloc(0)];
  const hold = (bytes: Buffer): void => {
    reportBytes += bytes.length;
    if (reportBytes > maxReportBytes) {
      throw new OctavoError("too_large", "The report of the push is too large.");
    }
    reportChunks.push(bytes);
  };
  for await (const chunk of body) {
    if (!hasSideBand) {
      hold(chunk);
      continue;
    }
    rest = Buffer.concat([rest, chunk]);
    for (let size = readPacketSize(rest); size !== undefined; size = readPacketSize(rest)) {
      const packet = rest.subarray(0, size);
      rest = rest.subarray(size);
      const isReport = packet[4] === 1 && packet.length > 5;
      if (isReport) hold(packet.subarray(5));
      else if (packet.length > 4) yield packet;
    }
  }
  return Buffer.concat(reportChunks);
}

/** Returns the lines of a report, with their line ends. The result is empty if the text is not a report. */
function parsePushReport(report: Buffer): readonly string[] {
  const lines: string[] = [];
  for (let rest = report; ;) {
    const size = readPacketSize(rest);
    if (size === undefined || size === 4) return lines;
    lines.push(rest.toString("utf8", 4, size));
    rest = rest.subarray(size);
  }
}

/** Returns the size of a packet, or undefined if it is not complete yet. A flush packet has four bytes. */
function readPacketSize(bytes: Buffer): number | undefined {
  if (bytes.length < 4) return undefined;
  const digits = bytes.toString("latin1", 0, 4);
  const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : -1;
  if (size === 0) return 4;
  if (size < 5 || size > maxLineBytes) {
    throw new OctavoError("internal", "Git's response to a push is not valid.");
  }
  return bytes.length < size ? undefined : size;
}

/**
 * Opens a bare repository for one push, in which git checks and moves refs as if it were the hosted repository. It
 * contains the push's new objects until they are published.
 */
export async function openPushStaging(
  tools: HostingTools,
  hosted: HostedRepository,
  state: RepositoryState,
): Promise<TemporaryFolder> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await openTemporaryFolder(tools.cacheDir));
  await mkdir(join(folder.path, "objects", "info"), { recursive: true });
  await mkdir(join(folder.path, "refs"));
  const files = {
    HEAD: `ref: ${state.head}\n`,
    config: "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
    "packed-refs": formatPackedRefs(state.refs),
    "objects/info/alternates": `${join(hosted.path, "objects")}\n`,
  };
  await Promise.all(
    Object.entries(files).map(([name, content]) => writeFile(join(folder.path, name), content)),
  );
  opening.move();
  return folder;
}
