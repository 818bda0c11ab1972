/** A tool call, in the form that any model uses. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The file's content before the change; undefined for a new file or if it is unknown. Not sent to the tool. */
  readonly before?: string;
}

/** A tool's answer as JSON; `{ error }` if the call failed. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/**
 * A generator that carries out a task: it yields independent tool calls and receives their answers in the same order.
 * It must be deterministic, because another process may replay it from the beginning to continue a conversation.
 */
export type Plan<T> = Generator<readonly ToolCall[], T, readonly ToolAnswer[]>;

/** Tools that change files. */
const mutatingTools: ReadonlySet<string> = new Set(["edit", "write", "move", "delete"]);
/** Tools that change the list of files, and thereby invalidate all earlier answers. */
const movingTools: ReadonlySet<string> = new Set(["write", "move", "delete"]);

export function isMutatingCall({ tool }: ToolCall): boolean {
  return mutatingTools.has(tool);
}

/** Runs a plan without repeating calls whose answers are still valid, because agents may not repeat identical calls. */
export function* skipRepeatedCalls<T>(plan: Plan<T>): Plan<T> {
  const known: KnownAnswers = new Map();
  let step = plan.next([]);
  while (step.done !== true) {
    const calls = step.value;
    if (calls.some(isMutatingCall)) {
      forget(known, calls);
      step = plan.next(yield calls);
      continue;
    }
    const unanswered = calls.filter((planned) => !known.has(getCallKey(planned)));
    const answers = unanswered.length === 0 ? [] : yield unanswered;
    unanswered.forEach((planned, index) => {
      known.set(getCallKey(planned), { call: planned, answer: answers[index] ?? {} });
    });
    step = plan.next(calls.map((planned) => known.get(getCallKey(planned))?.answer ?? {}));
  }
  return step.value;
}

type KnownAnswers = Map<string, { readonly call: ToolCall; readonly answer: ToolAnswer }>;

/**
 * Removes the answers that changes invalidate. An edit affects neither the list of files nor the content of other
 * files. It does not affect the history either, which contains only earlier commits.
 */
function forget(known: KnownAnswers, changes: readonly ToolCall[]): void {
  const isMove = changes.some(({ tool }) => movingTools.has(tool));
  const edited = new Set(changes.map(({ input }) => input.path));
  for (const [key, { call }] of known) {
    const isStillValid =
      ["list", "history"].includes(call.tool) ||
      (call.tool === "read" && !edited.has(call.input.path));
    if (isMove || !isStillValid) known.delete(key);
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

/** The maximum number of tool calls that the model makes at once. */
const batchSize = 100;

/** Makes any number of calls and returns their answers in the same order. */
export function* callTools(calls: readonly ToolCall[]): Plan<readonly ToolAnswer[]> {
  const answers: ToolAnswer[] = [];
  for (const batch of splitIntoBatches(calls, batchSize)) {
    const batchAnswers = yield batch;
    answers.push(...batch.map((_, index) => batchAnswers[index] ?? {}));
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
