import { trustedHtml, type Html } from "../markup/index.ts";
/**
 * What a grammar carries from one line to the next: the rules that are open. vscode-textmate's own type
 * hides the fields compared here; tokenizing a line changes nothing in its state that outlives the line.
 */
export interface LineState {
  readonly depth: number;
  readonly parent: LineState | null;
  readonly beginRuleCapturedEOL: boolean;
  /** Whether the same rules are open, with the same ends and the same styles. */
  equals(other: LineState): boolean;
}

export interface ColouredLine<State> {
  readonly html: Html;
  /** The state in which the next line begins. */
  readonly next: State;
}

/**
 * The lines of one language that were coloured before. Documentation repeats itself: versions and
 * translations of a page, requests that differ in one line, braces. A line's colours depend only on
 * its text and the state before it, so the same line in the same state is not tokenized again.
 */
export interface LineMemo<State> {
  /** `state` is null before the first line, else the `next` of a line that this memo returned. */
  get(state: State | null, line: string): ColouredLine<State> | undefined;
  /** Caches a line, and returns it with the `next` under which the following line may be cached. */
  put(state: State | null, line: string, coloured: ColouredLine<State>): ColouredLine<State>;
}

/** Characters of cached lines, for all languages of a highlighter. */
export interface LineBudget {
  readonly max: number;
  used: number;
  /** Raised when everything is dropped because the budget is used up. */
  age: number;
}

/** States of one depth under which lines are cached; code with more states does not repeat itself. */
const maxStatesOfDepth = 50;

export function createLineMemo<State extends object>(budget: LineBudget): LineMemo<State> {
  let age = budget.age;
  let firstLines = new Map<string, ColouredLine<State>>();
  let linesByState = new WeakMap<State, Map<string, ColouredLine<State>>>();
  let states = new Map<number, State[]>();

  function forget(): void {
    age = budget.age;
    firstLines = new Map();
    linesByState = new WeakMap();
    states = new Map();
  }
  function linesAfter(state: State | null): Map<string, ColouredLine<State>> | undefined {
    return state === null ? firstLines : linesByState.get(state);
  }
  /** The first of all equal states, under which lines are cached. */
  function canonicalState(state: State): State {
    const { depth } = state as unknown as LineState;
    let alike = states.get(depth);
    if (!alike) states.set(depth, (alike = []));
    const found = alike.find((other) => areSame(other, state));
    if (found !== undefined) return found;
    if (alike.length < maxStatesOfDepth) {
      alike.push(state);
      linesByState.set(state, new Map());
    }
    return state;
  }
  return {
    get(state, line) {
      return age === budget.age ? linesAfter(state)?.get(line) : undefined;
    },
    put(state, line, { html, next }) {
      if (budget.used > budget.max) {
        budget.used = 0;
        budget.age += 1;
      }
      if (age !== budget.age) forget();
      // A copy of markup is markup.
      const coloured = { html: trustedHtml(detached(html)), next: canonicalState(next) };
      const lines = linesAfter(state);
      if (lines !== undefined) {
        lines.set(detached(line), coloured);
        budget.used += line.length;
      }
      return coloured;
    },
  };
}

function areSame(a: object, b: object): boolean {
  if (!(a as LineState).equals(b as LineState)) return false;
  let one: LineState | null = a as LineState;
  let other: LineState | null = b as LineState;
  while (one !== other && one !== null && other !== null) {
    if (one.beginRuleCapturedEOL !== other.beginRuleCapturedEOL) return false;
    one = one.parent;
    other = other.parent;
  }
  return true;
}

/** A copy that does not keep the text of the whole page alive, as a slice in V8 does. */
function detached(text: string): string {
  return ` ${text}`.slice(1);
}
