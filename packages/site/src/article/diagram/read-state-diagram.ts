import {
  readLabel,
  readStatement,
  type KnownDiagram,
  type StatementRule,
} from "./known-diagram.ts";

interface State {
  /** The name of the composite state that contains the state; an empty string if there is none. */
  readonly home: string;
  label: string | undefined;
  isWritten: boolean;
}

/** The states that a statement names, and the transition between them, if any. */
interface Mention {
  readonly names: readonly string[];
  readonly label?: string;
}

interface Composite {
  readonly id: string;
  readonly parent: string;
  isEmpty: boolean;
}

const id = "[\\p{L}_][\\p{L}\\p{N}_]*";
const transitionForm = new RegExp(
  `^(\\[\\*\\]|${id})\\s*-->\\s*(\\[\\*\\]|${id})(?:\\s*:\\s*(.+?))?$`,
  "u",
);
const descriptionForm = new RegExp(`^(?:state\\s+)?(${id})\\s*:\\s*(.+)$`, "u");
const aliasForm = new RegExp(`^state\\s+"([^"]+)"\\s+as\\s+(${id})$`, "u");
const compositeForm = new RegExp(`^state\\s+(?:"([^"]+)"\\s+as\\s+)?(${id})\\s*\\{$`, "u");
const noteForm = new RegExp(`^note\\s+(?:left|right)\\s+of\\s+(${id})(?:\\s*:\\s*(.+))?$`, "u");
const stateForm = new RegExp(`^(?:state\\s+)?(${id})$`, "u");
const directionForm = /^(direction\s+(?:TB|LR|BT|RL))$/;
const reservedWord = /^(?:state|note|end|direction|class|classDef|style|click|hide|scale|default)$/;

/**
 * Reads a state diagram that Mermaid accepts, and determines whether the library draws all of its statements like
 * Mermaid. Writes descriptions before the first use of their state, because the library ignores later ones. Returns
 * undefined for any other diagram.
 */
export function readStateDiagram(lines: readonly string[]): KnownDiagram | undefined {
  const [, ...others] = lines;
  const reader = new StateReader();
  for (const line of others) if (!reader.readLine(line.replace(/[\s;]+$/, ""))) return undefined;
  return reader.write();
}

class StateReader {
  readonly #states = new Map<string, State>();
  readonly #composites = new Map<string, Composite>();
  readonly #labels: string[] = [];
  readonly #lines: (string | Mention)[] = [];
  #current = "";
  #isInNote = false;
  /** Whether the library draws all statements read so far. */
  #isDrawn = true;
  readonly #rules: readonly StatementRule[] = [
    [/^hide empty description$/, () => true],
    [noteForm, (name = "", text = "") => this.#addNote(name, text)],
    [/^\}$/, () => this.#endComposite()],
    [directionForm, (direction = "") => this.#add(direction)],
    [compositeForm, (title = "", name = "") => this.#startComposite(name, title || name)],
    [transitionForm, (from = "", to = "", text = "") => this.#addTransition(from, to, text)],
    [aliasForm, (text = "", name = "") => this.#describe(name, text)],
    [descriptionForm, (name = "", text = "") => this.#describe(name, text)],
    [stateForm, (name = "") => this.#describe(name, undefined)],
  ];

  readLine(line: string): boolean {
    if (!this.#isInNote) return readStatement(line, this.#rules);
    if (line === "end note") this.#isInNote = false;
    return true;
  }

  write(): KnownDiagram | undefined {
    const composites = [...this.#composites.values()];
    if (this.#current !== "" || this.#isInNote || this.#lines.length === 0) return undefined;
    if (
      composites.some((composite) => composite.isEmpty || this.#states.get(composite.id)?.label)
    ) {
      return undefined;
    }
    const lines = this.#lines.flatMap((line) => {
      if (typeof line === "string") return [line];
      const { names, label } = line;
      const isTransition = label !== undefined;
      const states = names.flatMap((name) => this.#introduce(name, isTransition));
      const text = label === "" ? "" : ` : ${label}`;
      return isTransition ? [...states, names.join(" --> ") + text] : states;
    });
    const names = Array.from(this.#states, ([name, { label }]) => label ?? name);
    return {
      isDrawn: this.#isDrawn,
      lines: ["stateDiagram-v2", ...lines],
      labels: [...names.filter((name) => !this.#composites.has(name)), ...this.#labels],
    };
  }

  /** Declares states before their first use, except in a transition, which itself introduces states without labels. */
  #introduce(name: string, isTransition: boolean): string[] {
    const state = this.#states.get(name);
    if (state === undefined || state.isWritten || this.#composites.has(name)) return [];
    state.isWritten = true;
    if (isTransition && state.label === undefined) return [];
    return [`state "${state.label ?? name}" as ${name}`];
  }

  #add(line: string): boolean {
    this.#lines.push(line);
    return true;
  }

  #addTransition(from: string, to: string, text: string): boolean {
    const label = readLabel(text);
    if (label === undefined || text.includes(";")) return false;
    if (label !== "") this.#labels.push(label);
    this.#lines.push({ names: [from, to], label });
    return [from, to].every((name) => name === "[*]" || this.#recordState(name) !== undefined);
  }

  /** Records a note. It continues to `end note` if its first line has no text. The library does not draw notes. */
  #addNote(name: string, text: string): boolean {
    this.#isDrawn = false;
    this.#isInNote = text === "";
    return this.#recordState(name) !== undefined;
  }

  #describe(name: string, text: string | undefined): boolean {
    const label = text === undefined ? undefined : readLabel(text);
    const state = this.#recordState(name);
    if (state === undefined || (text !== undefined && label === undefined)) return false;
    // Mermaid lists all descriptions of a state below its name.
    if (label !== undefined && state.label !== undefined) return false;
    state.label ??= label;
    this.#lines.push({ names: [name] });
    return true;
  }

  /** Returns the state, or undefined if the library would put it into a different composite state than Mermaid. */
  #recordState(name: string): State | undefined {
    if (reservedWord.test(name)) return undefined;
    const current = this.#composites.get(this.#current);
    if (current !== undefined) current.isEmpty = false;
    const existing = this.#states.get(name);
    if (existing !== undefined) {
      return this.#current === "" || existing.home === this.#current ? existing : undefined;
    }
    const state: State = { home: this.#current, label: undefined, isWritten: false };
    this.#states.set(name, state);
    return state;
  }

  #startComposite(name: string, title: string): boolean {
    const label = readLabel(title);
    const existing = this.#states.get(name);
    if (label === undefined || reservedWord.test(name) || this.#composites.has(name)) return false;
    if (existing !== undefined && existing.home !== this.#current) return false;
    const parent = this.#composites.get(this.#current);
    if (parent !== undefined) parent.isEmpty = false;
    this.#composites.set(name, { id: name, parent: this.#current, isEmpty: true });
    this.#current = name;
    this.#labels.push(label);
    return this.#add(`state "${label}" as ${name} {`);
  }

  #endComposite(): boolean {
    const composite = this.#composites.get(this.#current);
    if (composite === undefined) return false;
    this.#current = composite.parent;
    return this.#add("}");
  }
}
