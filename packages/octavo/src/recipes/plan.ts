import { isDeepStrictEqual } from "node:util";
import { isOctavoError, OctavoError } from "@octavo/site/core";

/** A tool call, in the form that any model uses. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The file's content before a change, which is not sent. Undefined for a new file, or if it is unknown. */
  readonly before?: string;
}

/** A tool's answer as JSON; `{ error }` if the call failed. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/** A call in the conversation that has been answered. */
export interface AnsweredCall extends ToolCall {
  readonly answer: ToolAnswer;
}

/**
 * Work in the form of a replayable generator. It yields independent calls and receives their answers in the same order.
 * It must be deterministic, because it is replayed from the beginning for a conversation that another process began.
 */
export type Plan<T> = Generator<readonly ToolCall[], T, readonly ToolAnswer[]>;

type PlanState<T> =
  | { readonly type: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly type: "done"; readonly result: T };

/** A tool call that changed a file, or was meant to. */
export interface Change {
  readonly tool: string;
  readonly path: string;
  /** The file's content; undefined for a new file, or if only the tool knows it. */
  readonly before: string | undefined;
  /** The maximum number of files that may change, if the change was rejected for exceeding it. */
  readonly maxFiles?: number;
}

/** The changes, in order. */
export interface Journal {
  readonly changes: readonly Change[];
  /** Runs a plan and records each of its changes. */
  record<T>(plan: Plan<T>): Plan<T>;
}

/** A plan that is carried out while its conversation grows. */
export interface Replay<T> {
  /**
   * Gives the plan the answers in the conversation, up to the first calls without an answer, or to its end. Returns
   * undefined if the plan has already received other answers. Throws `conflict` for a conversation that a different
   * plan began. Cannot be called again after it threw or reached the end.
   */
  advance(answered: readonly AnsweredCall[]): PlanState<T> | undefined;
}

export function createReplay<T>(plan: Plan<T>): Replay<T> {
  let received: readonly AnsweredCall[] = [];
  let step: IteratorResult<readonly ToolCall[], T> | undefined;
  return {
    advance(answered) {
      if (!isDeepStrictEqual(answered.slice(0, received.length), received)) return undefined;
      step ??= plan.next([]);
      while (step.done !== true) {
        const calls = step.value;
        const known = answered.slice(received.length, received.length + calls.length);
        known.forEach(({ tool, input }, index) => expectSame(calls[index], { tool, input }));
        if (known.length < calls.length) return { type: "calls", calls: calls.slice(known.length) };
        received = answered.slice(0, received.length + calls.length);
        step = plan.next(known.map(({ answer }) => answer));
      }
      return { type: "done", result: step.value };
    },
  };
}

function expectSame(planned: ToolCall | undefined, recorded: ToolCall): void {
  if (planned?.tool === recorded.tool && getSubject(planned) === getSubject(recorded)) return;
  throw new OctavoError(
    "conflict",
    "builtin/recipes cannot continue this conversation, because a different model or version began it. Send the instruction again.",
  );
}

/**
 * Returns the subject of a call, because tools may return the input with defaults filled in. The subject does not
 * change.
 */
function getSubject({ input }: ToolCall): string {
  return JSON.stringify([input.path ?? input.from ?? input.query ?? input.pattern ?? null]);
}

/** Tools that change files. Tools that move files invalidate all other answers. */
const changing: ReadonlySet<string> = new Set(["edit", "write", "move", "delete"]);
const moving: ReadonlySet<string> = new Set(["write", "move", "delete"]);

function isChange({ tool }: ToolCall): boolean {
  return changing.has(tool);
}

/** The result of running a plan as far as possible without changing anything. */
interface Rehearsal {
  /** The plan's first change, which is not made. */
  readonly change?: ToolCall;
  /** The reason why the plan cannot be carried out. */
  readonly refusal?: OctavoError;
}

/** Runs a plan up to its first change. */
export function* rehearse(plan: Plan<unknown>): Plan<Rehearsal> {
  try {
    let step = plan.next([]);
    while (step.done !== true) {
      const change = step.value.find(isChange);
      if (change !== undefined) return { change };
      step = plan.next(yield step.value);
    }
    return {};
  } catch (error) {
    if (isOctavoError(error, "invalid_input")) return { refusal: error };
    throw error;
  }
}

/**
 * Runs a plan without repeating calls whose answers are still valid because nothing has changed since. Agents may not
 * repeat identical calls.
 */
export function* skipRepeatedCalls<T>(plan: Plan<T>): Plan<T> {
  const known = new Map<string, Known>();
  let step = plan.next([]);
  while (step.done !== true) {
    const calls = step.value;
    if (calls.some(isChange)) {
      forget(known, calls);
      step = plan.next(yield calls);
      continue;
    }
    const open = calls.filter((planned) => !known.has(getCallKey(planned)));
    const answers = open.length === 0 ? [] : yield open;
    open.forEach((planned, index) => {
      known.set(getCallKey(planned), { call: planned, answer: answers[index] ?? {} });
    });
    step = plan.next(calls.map((planned) => known.get(getCallKey(planned))?.answer ?? {}));
  }
  return step.value;
}

interface Known {
  readonly call: ToolCall;
  readonly answer: ToolAnswer;
}

/**
 * Removes answers that a change invalidates. An edit affects neither the list of files nor the content of other files.
 */
function forget(known: Map<string, Known>, changes: readonly ToolCall[]): void {
  const isMove = changes.some(({ tool }) => moving.has(tool));
  const edited = new Set(changes.map(({ input }) => input.path));
  for (const [key, { call: asked }] of known) {
    const holds = asked.tool === "list" || (asked.tool === "read" && !edited.has(asked.input.path));
    if (isMove || !holds) known.delete(key);
  }
}

function getCallKey({ tool, input }: ToolCall): string {
  return JSON.stringify([tool, input]);
}

/** Makes a single call. */
export function* callTool(tool: string, input: ToolCall["input"] = {}): Plan<ToolAnswer> {
  const [answer = {}] = yield [{ tool, input }];
  return answer;
}

/** The maximum number of calls in one answer of the model. */
const batchSize = 100;

/** Makes any number of calls and returns their answers in the same order. */
export function* callTools(calls: readonly ToolCall[]): Plan<readonly ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  for (const batch of splitIntoBatches(calls, batchSize)) {
    const given = yield batch;
    answers.push(...batch.map((_, index) => given[index] ?? {}));
  }
  return answers;
}

export function splitIntoBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Returns an answer's error message, if it has one. */
export function findAnswerError(answer: ToolAnswer): string | undefined {
  if (answer.error === undefined) return undefined;
  return typeof answer.error === "string" ? answer.error : JSON.stringify(answer.error);
}

export function createJournal(): Journal {
  const changes: Change[] = [];
  return {
    changes,
    *record(plan) {
      let step = plan.next([]);
      while (step.done !== true) {
        const calls = step.value;
        const answers = yield calls;
        calls.forEach((call, index) => changes.push(...toChanges(call, answers[index] ?? {})));
        step = plan.next(answers);
      }
      return step.value;
    },
  };
}

function toChanges(call: ToolCall, answer: ToolAnswer): Change[] {
  if (!isChange(call)) return [];
  const { tool, before, input } = call;
  const change = { tool, path: String(input.path ?? input.to), before };
  const error = findAnswerError(answer);
  if (error === undefined) return [change];
  const max = /at most ([\d,.]+) may change/.exec(error)?.[1];
  return max === undefined ? [] : [{ ...change, maxFiles: Number(max.replaceAll(/\D/g, "")) }];
}

/** Restores the content of changed files, deletes new ones, and undoes moves and deletions with all of their effects. */
export function* undoChanges({ changes }: Journal): Plan<void> {
  const first = new Map<string, Change>();
  for (const change of changes) if (!first.has(change.path)) first.set(change.path, change);
  const calls = [...first.values()].flatMap(({ tool, path, before, maxFiles }): ToolCall[] => {
    if (maxFiles !== undefined) return [];
    if (before !== undefined) return [{ tool: "write", input: { path, content: before } }];
    return tool === "write" ? [{ tool: "delete", input: { path } }] : [];
  });
  const upkeep = changes.filter(({ tool, maxFiles }) => maxFiles === undefined && (tool === "move" || tool === "delete")); // prettier-ignore
  calls.push(...upkeep.toReversed().map(({ path }) => ({ tool: "undo", input: { path } })));
  if (calls.length > 0) yield calls;
}
