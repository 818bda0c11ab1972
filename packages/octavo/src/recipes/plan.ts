/** A tool call, in the form that any model uses. */
export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The file's content before a change, which is not sent. Undefined for a new file, or if it is unknown. */
  readonly before?: string;
}

/** A tool's answer as JSON; `{ error }` if the call failed. */
export type ToolAnswer = Readonly<Record<string, unknown>>;

/**
 * Work in the form of a replayable generator. It yields independent calls and receives their answers in the same order.
 * It must be deterministic, because it is replayed from the beginning for a conversation that another process began.
 */
export type Plan<T> = Generator<readonly ToolCall[], T, readonly ToolAnswer[]>;

/** Tools that change files. Tools that move files invalidate all other answers. */
const changing: ReadonlySet<string> = new Set(["edit", "write", "move", "delete"]);
const moving: ReadonlySet<string> = new Set(["write", "move", "delete"]);

export function isChange({ tool }: ToolCall): boolean {
  return changing.has(tool);
}

/**
 * Runs a plan without repeating calls whose answers are still valid because nothing has changed since. Agents may not
 * repeat identical calls.
 */
export function* skipRepeatedCalls<T>(plan: Plan<T>): Plan<T> {
  const known: KnownAnswers = new Map();
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

type KnownAnswers = Map<string, { readonly call: ToolCall; readonly answer: ToolAnswer }>;

/**
 * Removes answers that a change invalidates. An edit affects neither the list of files nor the content of other files,
 * nor the history, which ends before the work.
 */
function forget(known: KnownAnswers, changes: readonly ToolCall[]): void {
  const isMove = changes.some(({ tool }) => moving.has(tool));
  const edited = new Set(changes.map(({ input }) => input.path));
  for (const [key, { call: asked }] of known) {
    const holds =
      ["list", "history"].includes(asked.tool) ||
      (asked.tool === "read" && !edited.has(asked.input.path));
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
