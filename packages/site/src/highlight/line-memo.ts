import { trustedHtml, type Html } from "../markup/index.ts";
/**
 * What a grammar carries from one line to the next: the rules that are open. vscode-textmate's own type
 * hides what is compared here; it changes the state of a line it is given in nothing that outlives the line.
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
  /** With which the next line begins. */
  readonly next: State;
}

/**
 * The lines of one language that were coloured already. Documentation repeats itself: versions and
 * translations of a page, requests that differ in one line, braces. What a line looks like depends on
 * its text and on the state before it only, so a line that is met again in the same state is not read again.
 */
export interface LineMemo<State> {
  /** `state` is null before the first line, else the `next` of a line that this memo gave. */
  get(state: State | null, line: string): ColouredLine<State> | undefined;
  /** Keeps a line and gives it back with a `next` under which the following line may be known. */
  put(state: State | null, line: string, coloured: ColouredLine<State>): ColouredLine<State>;
}

/** Characters of lines that are kept, for all languages of a highlighter. */
export interface LineBudget {
  readonly max: number;
  used: number;
  /** Raised when everything is dropped because the budget is used up. */
  age: number;
}

/** States of one depth that are told apart; code that needs more does not repeat itself. */
const maxStatesOfDepth = 50;

export function createLineMemo<State extends object>(budget: LineBudget): LineMemo<State> {
  let age = budget.age;
  let first = new Map<string, ColouredLine<State>>();
  let known = new WeakMap<State, Map<string, ColouredLine<State>>>();
  let states = new Map<number, State[]>();

  function forget(): void {
    age = budget.age;
    first = new Map();
    known = new WeakMap();
    states = new Map();
  }
  function linesAfter(state: State | null): Map<string, ColouredLine<State>> | undefined {
    return state === null ? first : known.get(state);
  }
  /** The state that stands for all that equal it, under which lines are kept. */
  function standIn(state: State): State {
    const { depth } = state as unknown as LineState;
    let alike = states.get(depth);
    if (!alike) states.set(depth, (alike = []));
    const found = alike.find((other) => areSame(other, state));
    if (found !== undefined) return found;
    if (alike.length < maxStatesOfDepth) {
      alike.push(state);
      known.set(state, new Map());
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
      const coloured = { html: trustedHtml(detached(html)), next: standIn(next) };
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

/** A copy that does not keep the text of the whole page alive, of which V8 makes a slice only a part. */
function detached(text: string): string {
  return ` ${text}`.slice(1);
}
