import { formatNumber, nearLimitOpening } from "../core/index.ts";
import type { AgentLimits } from "./limits.ts";
import { getCurrentTurn, sumUsage } from "./transcript.ts";
import type { MessageEntry, TranscriptEntry } from "./transcript.ts";

/** A turn's usage so far. */
interface TurnState {
  readonly entries: readonly TranscriptEntry[];
  readonly limits: AgentLimits;
  readonly elapsedMs: number;
  /** The number of files changed in the turn, even if they are unchanged now. */
  readonly touchedFiles: number;
}

/** A limit of a turn, in its own unit. */
interface Gauge {
  /** The name, worded for use in a sentence: `100 answers of the model`. */
  readonly name: string;
  /** The remaining amount, worded for use in a sentence: `5 answers`. */
  readonly left: string;
  readonly isReached: boolean;
  readonly isNear: boolean;
}

/** The share of a limit that is considered near: the last tenth. */
const nearShare = 0.1;
const nearSteps = 2;
/** The number of requests whose tokens are considered near. A request is at least as long as the previous one. */
const nearRequests = 3;

/**
 * Returns the limit that the turn has reached, worded for use in a sentence. The file limit does not end a turn;
 * additional files are rejected individually.
 */
export function findReachedLimit(state: TurnState): string | undefined {
  return listGauges(state).find(({ isReached }) => isReached)?.name;
}

/** Returns the warning that the model receives once per turn, while it can still finish. */
export function createNearLimitMessage(
  state: TurnState,
): Pick<MessageEntry, "text" | "limit"> | undefined {
  const turn = getCurrentTurn(state.entries);
  const isBegun = turn.some(({ type }) => type === "model");
  const isNotified = turn.some(
    (entry) => entry.type === "message" && entry.reason === "near_limit",
  );
  const near = isBegun && !isNotified ? listGauges(state).find(({ isNear }) => isNear) : undefined;
  if (!near) return undefined;
  const text = `${nearLimitOpening} ${near.name}: ${near.left} left. Do not start anything new. Finish what you have begun so that check finds no new errors, then end in plain text: what you did, and what is left to do. Your work becomes a draft that someone else continues.`;
  return { text, limit: near.name };
}

function listGauges(state: TurnState): readonly Gauge[] {
  return [stepGauge(state), tokenGauge(state), timeGauge(state), fileGauge(state)];
}

function stepGauge({ entries, limits }: TurnState): Gauge {
  const left = limits.steps - sumUsage(getCurrentTurn(entries)).steps;
  return {
    name: `${limits.steps} answers of the model`,
    left: left === 1 ? "1 answer is" : `${left} answers are`,
    isReached: left <= 0,
    isNear: left <= Math.max(nearSteps, Math.ceil(limits.steps * nearShare)),
  };
}

function tokenGauge({ entries, limits }: TurnState): Gauge {
  const turn = getCurrentTurn(entries);
  const { inputTokens, outputTokens } = sumUsage(turn);
  const left = limits.tokens - inputTokens - outputTokens;
  const last = sumUsage(turn.filter(({ type }) => type === "model").slice(-1));
  const next = (last.inputTokens + last.outputTokens) * nearRequests;
  return {
    name: `${formatNumber(limits.tokens)} tokens`,
    left: `${formatNumber(left)} tokens are`,
    isReached: left <= 0,
    isNear: left <= Math.max(next, limits.tokens * nearShare),
  };
}

function timeGauge({ limits, elapsedMs }: TurnState): Gauge {
  const left = limits.timeMs - elapsedMs;
  return {
    name: formatTimeLimit(limits),
    left: `${Math.round(left / 1_000)} seconds are`,
    isReached: left <= 0,
    isNear: left <= limits.timeMs * nearShare,
  };
}

function fileGauge({ entries, limits, touchedFiles }: TurnState): Gauge {
  const left = limits.changedFiles - touchedFiles;
  const isRefused = getCurrentTurn(entries).some(
    (entry) => entry.type === "tool" && entry.limit !== undefined,
  );
  return {
    name: formatFileLimit(limits),
    left: left === 1 ? "1 file is" : `${left} files are`,
    isReached: false,
    isNear: isRefused || left <= limits.changedFiles * nearShare,
  };
}

export function formatTimeLimit({ timeMs }: AgentLimits): string {
  return `${Math.round(timeMs / 1_000)} seconds`;
}

export function formatFileLimit({ changedFiles }: AgentLimits): string {
  return `${changedFiles} changed files`;
}

/** Returns the limit that has affected the turn, worded for use in a sentence; undefined if there was none. */
export function findLimit(entries: readonly TranscriptEntry[]): string | undefined {
  const limits = getCurrentTurn(entries).flatMap((entry) =>
    entry.type === "message" || entry.type === "tool" ? (entry.limit ?? []) : [],
  );
  return limits.at(-1);
}
