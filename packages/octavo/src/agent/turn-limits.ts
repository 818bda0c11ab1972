import { nearLimitOpening } from "../core/index.ts";
import type { AgentLimits } from "./limits.ts";
import { currentTurn, usageOf } from "./transcript.ts";
import type { MessageEntry, TranscriptEntry } from "./transcript.ts";

/** What a turn has used of its limits so far. */
interface TurnState {
  readonly entries: readonly TranscriptEntry[];
  readonly limits: AgentLimits;
  readonly elapsedMs: number;
  /** Files that the turn has touched, whether they differ now or not. */
  readonly touchedFiles: number;
}

/** One limit of a turn, in units of its own. */
interface Gauge {
  /** As in a sentence: `100 answers of the model`. */
  readonly name: string;
  /** What is left, as in a sentence: `5 answers`. */
  readonly left: string;
  readonly isReached: boolean;
  readonly isNear: boolean;
}

/** The last tenth of a limit, or what the next few steps will take. */
const nearShare = 0.1;
const nearSteps = 2;
/** A request is as long as the one before it, and longer. */
const nearRequests = 3;

/** The limit that the turn has reached, as in a sentence. Files are no such limit: more are refused one by one. */
export function reachedLimit(state: TurnState): string | undefined {
  return gaugesOf(state).find(({ isReached }) => isReached)?.name;
}

/** What the model is told, once in a turn, when there is still something left to finish with. */
export function nearLimitMessage(
  state: TurnState,
): Pick<MessageEntry, "text" | "limit"> | undefined {
  const turn = currentTurn(state.entries);
  const isBegun = turn.some(({ type }) => type === "model");
  const isTold = turn.some((entry) => entry.type === "message" && entry.reason === "near_limit");
  const near = isBegun && !isTold ? gaugesOf(state).find(({ isNear }) => isNear) : undefined;
  if (!near) return undefined;
  const text = `${nearLimitOpening} ${near.name}: ${near.left} left. Begin nothing new. Finish what you have begun so that check finds no new errors, then end in plain text: what you did, and what is left to do. It becomes a draft that somebody goes on from.`;
  return { text, limit: near.name };
}

function gaugesOf(state: TurnState): readonly Gauge[] {
  return [stepGauge(state), tokenGauge(state), timeGauge(state), fileGauge(state)];
}

function stepGauge({ entries, limits }: TurnState): Gauge {
  const left = limits.steps - usageOf(currentTurn(entries)).steps;
  return {
    name: `${limits.steps} answers of the model`,
    left: left === 1 ? "1 answer is" : `${left} answers are`,
    isReached: left <= 0,
    isNear: left <= Math.max(nearSteps, Math.ceil(limits.steps * nearShare)),
  };
}

function tokenGauge({ entries, limits }: TurnState): Gauge {
  const turn = currentTurn(entries);
  const { inputTokens, outputTokens } = usageOf(turn);
  const left = limits.tokens - inputTokens - outputTokens;
  const last = usageOf(turn.filter(({ type }) => type === "model").slice(-1));
  const next = (last.inputTokens + last.outputTokens) * nearRequests;
  return {
    name: `${limits.tokens.toLocaleString("en")} tokens`,
    left: `${left.toLocaleString("en")} tokens are`,
    isReached: left <= 0,
    isNear: left <= Math.max(next, limits.tokens * nearShare),
  };
}

function timeGauge({ limits, elapsedMs }: TurnState): Gauge {
  const left = limits.timeMs - elapsedMs;
  return {
    name: `${Math.round(limits.timeMs / 1_000)} seconds`,
    left: `${Math.round(left / 1_000)} seconds are`,
    isReached: left <= 0,
    isNear: left <= limits.timeMs * nearShare,
  };
}

function fileGauge({ entries, limits, touchedFiles }: TurnState): Gauge {
  const left = limits.changedFiles - touchedFiles;
  const isRefused = currentTurn(entries).some(
    (entry) => entry.type === "tool" && entry.limit !== undefined,
  );
  return {
    name: fileLimit(limits),
    left: left === 1 ? "1 file is" : `${left} files are`,
    isReached: false,
    isNear: isRefused || left <= limits.changedFiles * nearShare,
  };
}

export function fileLimit({ changedFiles }: AgentLimits): string {
  return `${changedFiles} changed files`;
}

/** The limit under which the turn has worked, as in a sentence; undefined while none has mattered. */
export function limitOf(entries: readonly TranscriptEntry[]): string | undefined {
  const limits = currentTurn(entries).flatMap((entry) =>
    entry.type === "message" || entry.type === "tool" ? (entry.limit ?? []) : [],
  );
  return limits.at(-1);
}
