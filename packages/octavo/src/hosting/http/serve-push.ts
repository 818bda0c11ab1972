import { join } from "node:path";
import { isOctavoError } from "@octavo/site/core";
import type { GatewayResponse, GitTools, TemporaryFolder } from "../../git/index.ts";
import { holdReport, parseReport } from "./held-report.ts";
import { publishRefs } from "../publish.ts";
import { formatReport, hasSideBand, isDeletion, refusalLine } from "./push-commands.ts";
import type { PushCommand, PushHead } from "./push-commands.ts";
import type { HostedRepository, Allowance, RepositoryState } from "../store/repository-store.ts";

export interface StagedPush {
  readonly hosted: HostedRepository;
  readonly head: PushHead;
  /** What the staging was made from. */
  readonly state: RepositoryState;
  readonly allowance: Allowance;
  /** Whether the pack is larger than the allowance; known when git has answered. */
  readonly isTooLarge: () => boolean;
  readonly staging: TemporaryFolder;
}

/** Git's word for a ref that somebody else has moved since. */
const movedReason = "fetch first";
/** Errors with a sentence for the client. */
const toldCodes: ReadonlySet<string> = new Set([
  "too_large",
  "not_found",
  "conflict",
  "unavailable",
  "rate_limited",
]);
const failedReason = "the service could not store the push; try again";

/**
 * Git's response to a push into a staging, with its report held back until what git accepted is published: what the
 * client reads there is true of every node. The body must be read to its end.
 */
export async function* publishStaged(
  tools: GitTools,
  push: StagedPush,
  response: GatewayResponse,
): AsyncGenerator<Buffer> {
  const report = yield* holdReport(response.body, hasSideBand(push.head));
  const lines = parseReport(report);
  const accepted = acceptedCommands(push.head, lines);
  const refused = await publishAccepted(tools, push, accepted);
  const told = lines.map((line) => {
    const { accepted: name = "", notUnpacked } = reportLine.exec(line)?.groups ?? {};
    const reason = refused.get(name);
    if (reason !== undefined) return refusalLine(name, reason);
    if (notUnpacked !== undefined && push.isTooLarge())
      return refusalLine(notUnpacked, push.allowance.reason);
    return line;
  });
  yield formatReport(push.head, told);
}

/** What git says of a ref. */
const reportLine = /^(?:ok (?<accepted>.+)|ng (?<notUnpacked>.+) unpacker error)\n$/;

function acceptedCommands(head: PushHead, lines: readonly string[]): readonly PushCommand[] {
  const accepted = new Set(
    lines.flatMap((line) => reportLine.exec(line)?.groups?.["accepted"] ?? []),
  );
  return head.commands.filter(({ ref }) => accepted.has(ref));
}

/** The refs that did not move after all, and why. */
async function publishAccepted(
  tools: GitTools,
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
    const lost = await publishRefs(tools, hosted, {
      state,
      updates,
      isAtomic,
      objects: [join(staging.path, "objects")],
    });
    const isNone = isAtomic && lost.length > 0;
    const names = isNone ? updates.map(({ name }) => name) : lost;
    return new Map(names.map((name) => [name, movedReason]));
  } catch (error) {
    const reason = explainFailure(tools, hosted, error);
    return new Map(updates.map(({ name }) => [name, reason]));
  }
}

/** Why a push was not stored, for the report to the client; the log has the rest. */
export function explainFailure(tools: GitTools, hosted: HostedRepository, error: unknown): string {
  tools.log("A push could not be stored", { path: hosted.path, error });
  const isTold = isOctavoError(error) && toldCodes.has(error.code);
  return isTold ? error.message.replace(/\.$/, "") : failedReason;
}
