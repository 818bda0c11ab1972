import {
  leadSign,
  readLabel,
  readStatement,
  type KnownDiagram,
  type StatementRule,
} from "./known-diagram.ts";

interface Block {
  readonly kind: string;
  messageCount: number;
}

const name = "[^\\s,:;+#<>()\\-](?:[^,:;+#<>()\\-\\n]*?[^\\s,:;+#<>()\\-])??";
const participantForm = new RegExp(`^(participant|actor)\\s+(${name})(?:\\s+as\\s+(.+))?$`, "u");
const messageForm = new RegExp(
  `^(${name})\\s*(--?>>?|--?[x)]|<<--?>>)\\s*([+-]?)\\s*(${name})\\s*:(.*)$`,
  "u",
);
const noteForm = new RegExp(
  `^note\\s+(left of|right of|over)\\s+(${name})(?:\\s*,\\s*(${name}))?\\s*:(.*)$`,
  "iu",
);
const activationForm = new RegExp(`^(activate|deactivate)\\s+(${name})$`, "u");
const blockForm = /^(loop|alt|opt|par|critical|break|rect)(?:\s+(.*))?$/;
const dividerForm = /^(else|and|option)(?:\s+(.*))?$/;
const titleForm = /^title(?:\s*:)?\s+(.+)$/;

const dividers: Readonly<Record<string, string>> = {
  else: "alt",
  and: "par",
  option: "critical",
};

interface Message {
  readonly from: string;
  readonly to: string;
  readonly arrow: string;
  mark: string;
  readonly label: string;
}

/**
 * Reads a sequence diagram that Mermaid accepts, and determines whether the library draws all of its statements like
 * Mermaid. The library does not draw message numbers, crosses, or lines without heads. Returns undefined for any other
 * diagram.
 */
export function readSequenceDiagram(lines: readonly string[]): KnownDiagram | undefined {
  const [, ...others] = lines;
  const reader = new SequenceReader();
  for (const line of others) if (!reader.readLine(line)) return undefined;
  return reader.write();
}

class SequenceReader {
  readonly #actors = new Map<string, string>();
  readonly #activationCounts = new Map<string, number>();
  readonly #blocks: Block[] = [];
  readonly #labels: string[] = [];
  readonly #lines: (string | Message)[] = [];
  #title: string | undefined;
  #hasMessage = false;
  /** Whether the library draws all statements read so far. */
  #isDrawn = true;
  readonly #rules: readonly StatementRule[] = [
    [/^end$/, () => this.#endBlock()],
    [/^autonumber$/, () => this.#leaveToMermaid()],
    [participantForm, (kind = "", actor = "", alias = "") => this.#declare(kind, actor, alias)],
    [titleForm, (title) => this.#setTitle(title)],
    [
      noteForm,
      (...[side = "", first = "", second = "", text = ""]) =>
        this.#addNote(side, [first, second || first], text),
    ],
    [activationForm, (act = "", actor = "") => this.#mark(act, actor)],
    [blockForm, (kind = "", condition = "") => this.#startBlock(kind, condition)],
    [dividerForm, (divider = "", condition = "") => this.#addDivider(divider, condition)],
    [
      messageForm,
      (...[from = "", arrow = "", mark = "", to = "", label = ""]) =>
        this.#addMessage({ from, arrow, mark, to, label }),
    ],
  ];

  readLine(line: string): boolean {
    return readStatement(line.replace(/[\s;]+$/, ""), this.#rules);
  }

  write(): KnownDiagram | undefined {
    if (this.#actors.size === 0 || this.#blocks.length > 0) return undefined;
    const lines = this.#lines.map((line) => {
      if (typeof line === "string") return line;
      const { from, arrow, mark, to, label } = line;
      return `${from}${arrow}${label === leadSign ? "" : mark}${to}: ${label}`;
    });
    const named = this.#title === undefined ? {} : { title: this.#title };
    const isDrawn = this.#isDrawn;
    return { lines: ["sequenceDiagram", ...lines], labels: this.#labels, isDrawn, ...named };
  }

  #setTitle(title: string | undefined): boolean {
    if (this.#title !== undefined) return false;
    this.#title = title;
    return true;
  }

  #declare(kind: string, actor: string, alias: string): boolean {
    const label = this.#readText(alias || actor);
    // If an actor is declared twice, Mermaid uses the later declaration, but the library uses the first.
    if (label === undefined || this.#actors.has(actor)) return false;
    const id = `actor${this.#actors.size}`;
    this.#actors.set(actor, id);
    this.#labels.push(label);
    this.#lines.push(`${kind} ${id} as ${label}`);
    return true;
  }

  /** Returns the library's name for an actor. Declares the actor if no statement has done so. */
  #findOrDeclareActor(actor: string): string | undefined {
    if (!this.#actors.has(actor) && !this.#declare("participant", actor, "")) return undefined;
    return this.#actors.get(actor);
  }

  /** Reads a label. In a sequence diagram, a semicolon ends a statement, and a number sign begins a comment. */
  #readText(source: string): string | undefined {
    const text = source.trim();
    if (/[;#]/.test(text.replaceAll(/#\w+;/g, ""))) return undefined;
    const label = readLabel(text);
    if (label === undefined) this.#leaveToMermaid();
    return label ?? "";
  }

  /** Records that Mermaid accepts the statement but the library does not draw it. */
  #leaveToMermaid(): boolean {
    this.#isDrawn = false;
    return true;
  }

  #addMessage({ from, arrow, mark, to, label: text }: Message): boolean {
    const label = this.#readText(text);
    const sender = this.#findOrDeclareActor(from);
    const receiver = this.#findOrDeclareActor(to);
    if (label === undefined || sender === undefined || receiver === undefined) return false;
    if (label === "" || !/^-.*(?:>>|\))$/.test(arrow)) this.#leaveToMermaid();
    for (const block of this.#blocks) block.messageCount++;
    this.#hasMessage = true;
    this.#labels.push(label);
    this.#lines.push({ from: sender, to: receiver, arrow, mark, label });
    if (mark === "") return true;
    return this.#countActivation(mark === "+" ? receiver : sender, mark);
  }

  /** Adds the start or end of an activation bar to the message before it, as the library requires. */
  #mark(act: string, actor: string): boolean {
    const id = this.#actors.get(actor);
    if (id === undefined) return false;
    const message = this.#lines.at(-1);
    const mark = act === "activate" ? "+" : "-";
    const canBeMarked = typeof message === "object" && message.mark === "";
    if (canBeMarked && (mark === "+" ? message.to : message.from) === id) message.mark = mark;
    else this.#leaveToMermaid();
    return this.#countActivation(id, mark);
  }

  /** Returns false for the end of an activation bar without a start, which Mermaid rejects. */
  #countActivation(id: string, mark: string): boolean {
    const count = (this.#activationCounts.get(id) ?? 0) + (mark === "+" ? 1 : -1);
    this.#activationCounts.set(id, count);
    return count >= 0;
  }

  #addNote(side: string, actors: readonly [string, string], text: string): boolean {
    const label = this.#readText(text);
    const [first, second] = actors.map((actor) => this.#findOrDeclareActor(actor));
    if (label === undefined || first === undefined || second === undefined) return false;
    if (first !== second && side.toLowerCase() !== "over") return false;
    // The library places a note below the last message, so it cannot draw a note in a section of a block that has no
    // messages yet.
    if (label === "" || this.#blocks.at(-1)?.messageCount === 0) this.#leaveToMermaid();
    this.#labels.push(label);
    const participants = first === second ? first : `${first},${second}`;
    if (!this.#hasMessage) this.#addLead(first);
    this.#lines.push(`Note ${side.toLowerCase()} ${participants}: ${label}`);
    return true;
  }

  /**
   * Adds a first message, because the library ignores notes before the first message. The message is removed from the
   * drawing.
   */
  #addLead(first: string): void {
    const others = [...this.#actors.values()].filter((actor) => actor !== first);
    const to = others.at(0) ?? first;
    this.#lines.push({ from: first, to, arrow: "->>", mark: "?", label: leadSign });
    this.#hasMessage = true;
  }

  #startBlock(kind: string, condition: string): boolean {
    const label = this.#readText(condition);
    if (label === undefined) return false;
    if (kind === "rect") this.#leaveToMermaid();
    this.#blocks.push({ kind, messageCount: 0 });
    this.#labels.push(label);
    this.#lines.push(`${kind} ${label}`);
    return true;
  }

  #addDivider(divider: string, condition: string): boolean {
    const block = this.#blocks.at(-1);
    const label = this.#readText(condition);
    if (label === undefined || block === undefined || block.kind !== dividers[divider])
      return false;
    // The library does not reserve space for a section of a block without messages.
    if (divider === "option" || block.messageCount === 0) this.#leaveToMermaid();
    block.messageCount = 0;
    this.#labels.push(label);
    this.#lines.push(`${divider} ${label}`);
    return true;
  }

  #endBlock(): boolean {
    const block = this.#blocks.pop();
    this.#lines.push("end");
    if (block?.messageCount === 0) this.#leaveToMermaid();
    return block !== undefined;
  }
}
