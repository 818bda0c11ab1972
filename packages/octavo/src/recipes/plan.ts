import { isOctavoError, OctavoError } from "@octavo/site/core";

/** One use of a tool, as any model asks for it. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What the file held before a change; not sent. Undefined for a new file, and where it is not known. */
  readonly before?: string;
}

/** What a tool answered: its JSON, `{ error }` where it could not do it. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/** A call of the conversation that has its answer. */
export interface AnsweredCall extends ToolCall {
  readonly answer: ToolAnswer;
}

/**
 * Work told as a story: it yields calls that do not depend on each other and is given their answers, in
 * order. It must be deterministic: it is told again from its beginning at every answer of the model.
 */
export type Plan<T> = Generator<readonly ToolCall[], T, readonly ToolAnswer[]>;

type PlanState<T> =
  | { readonly type: "calls"; readonly calls: readonly ToolCall[] }
  | { readonly type: "done"; readonly result: T };

/** One use of a tool that changed a file, or was to. */
export interface Change {
  readonly tool: string;
  readonly path: string;
  /** What the file held; undefined for a new one, and where only the tool knows. */
  readonly before: string | undefined;
  /** Why it was not made: so many files may change and no more. */
  readonly maxFiles?: number;
}

/** What was changed, in order. */
export interface Journal {
  readonly changes: readonly Change[];
  /** The same work, of which each change is noted. */
  record<T>(plan: Plan<T>): Plan<T>;
}

/**
 * Tells the plan from its beginning with the answers that the conversation holds, up to the calls that
 * have none yet, or to its end. Throws `conflict` for a conversation that another plan began.
 */
export function replay<T>(plan: Plan<T>, answered: readonly AnsweredCall[]): PlanState<T> {
  let at = 0;
  let step = plan.next([]);
  while (step.done !== true) {
    const calls = step.value;
    const known = answered.slice(at, at + calls.length);
    known.forEach(({ tool, input }, index) => expectSame(calls[index], { tool, input }));
    if (known.length < calls.length) return { type: "calls", calls: calls.slice(known.length) };
    at += calls.length;
    step = plan.next(known.map(({ answer }) => answer));
  }
  return { type: "done", result: step.value };
}

function expectSame(planned: ToolCall | undefined, recorded: ToolCall): void {
  if (planned?.tool === recorded.tool && subjectOf(planned) === subjectOf(recorded)) return;
  throw new OctavoError(
    "conflict",
    "The conversation was begun by another model or version, so that builtin/recipes cannot go on with it; send the instruction again.",
  );
}

/** The input may come back with its defaults filled in; what it is about stays. */
function subjectOf({ input }: ToolCall): string {
  return JSON.stringify([input.path ?? input.from ?? input.query ?? input.pattern ?? null]);
}

/** Tools that change files; after some of them no answer of others holds any more. */
const changing: ReadonlySet<string> = new Set(["edit", "write", "move", "delete"]);
const moving: ReadonlySet<string> = new Set(["write", "move", "delete"]);

function isChange({ tool }: ToolCall): boolean {
  return changing.has(tool);
}

/** How far a plan comes without changing anything. */
interface Rehearsal {
  /** Its first change, which is not made. */
  readonly change?: ToolCall;
  /** Why it cannot be done. */
  readonly refusal?: OctavoError;
}

/** Carries a plan out up to its first change. */
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
 * The same work without calls whose answers still hold, because nothing was changed since: agents are refused
 * what they ask over and over.
 */
export function* withoutRepeats<T>(plan: Plan<T>): Plan<T> {
  const known = new Map<string, Known>();
  let step = plan.next([]);
  while (step.done !== true) {
    const calls = step.value;
    if (calls.some(isChange)) {
      forget(known, calls);
      step = plan.next(yield calls);
      continue;
    }
    const open = calls.filter((planned) => !known.has(keyOf(planned)));
    const answers = open.length === 0 ? [] : yield open;
    open.forEach((planned, index) => {
      known.set(keyOf(planned), { call: planned, answer: answers[index] ?? {} });
    });
    step = plan.next(calls.map((planned) => known.get(keyOf(planned))?.answer ?? {}));
  }
  return step.value;
}

interface Known {
  readonly call: ToolCall;
  readonly answer: ToolAnswer;
}

/** An edit leaves the list of files as it is, and what other files hold. */
function forget(known: Map<string, Known>, changes: readonly ToolCall[]): void {
  const isMove = changes.some(({ tool }) => moving.has(tool));
  const edited = new Set(changes.map(({ input }) => input.path));
  for (const [key, { call: asked }] of known) {
    const holds = asked.tool === "list" || (asked.tool === "read" && !edited.has(asked.input.path));
    if (isMove || !holds) known.delete(key);
  }
}

function keyOf({ tool, input }: ToolCall): string {
  return JSON.stringify([tool, input]);
}

/** One call alone. */
export function* call(tool: string, input: ToolCall["input"] = {}): Plan<ToolAnswer> {
  const [answer = {}] = yield [{ tool, input }];
  return answer;
}

/** So many calls make one answer of the model. */
const batchSize = 100;

/** Any number of calls, and their answers in the same order. */
export function* callAll(calls: readonly ToolCall[]): Plan<readonly ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  for (const batch of inBatches(calls, batchSize)) {
    const given = yield batch;
    answers.push(...batch.map((_, index) => given[index] ?? {}));
  }
  return answers;
}

export function inBatches<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The sentence of an answer that says why it could not be done. */
export function errorOf(answer: ToolAnswer): string | undefined {
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
        calls.forEach((call, index) => changes.push(...changeOf(call, answers[index] ?? {})));
        step = plan.next(answers);
      }
      return step.value;
    },
  };
}

function changeOf(call: ToolCall, answer: ToolAnswer): Change[] {
  if (!isChange(call)) return [];
  const { tool, before, input } = call;
  const change = { tool, path: String(input.path ?? input.to), before };
  const error = errorOf(answer);
  if (error === undefined) return [change];
  const max = /at most ([\d,.]+) may change/.exec(error)?.[1];
  return max === undefined ? [] : [{ ...change, maxFiles: Number(max.replaceAll(/\D/g, "")) }];
}

/**
 * Gives files back what they held, and takes new ones away. What `move` and `delete` did stays: they know alone which
 * files it was; a job that fails publishes none of it.
 */
export function* undo({ changes }: Journal): Plan<void> {
  const first = new Map<string, Change>();
  for (const change of changes) if (!first.has(change.path)) first.set(change.path, change);
  const calls = [...first.values()].flatMap(({ tool, path, before, maxFiles }): ToolCall[] => {
    if (maxFiles !== undefined) return [];
    if (before !== undefined) return [{ tool: "write", input: { path, content: before } }];
    return tool === "write" ? [{ tool: "delete", input: { path } }] : [];
  });
  if (calls.length > 0) yield calls;
}
