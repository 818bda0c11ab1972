import { OctavoError } from "@octavo/site/core";

/** One step of a compiled pattern. A jump names steps counted from its own; all others go on with the next. */
export type Instruction =
  | { readonly type: "take"; readonly accepts: (code: number) => boolean }
  | { readonly type: "jump"; readonly to: readonly number[] }
  | { readonly type: "assert"; readonly what: "start" | "end" | "word" | "inside" }
  | { readonly type: "match" };

const maxLength = 1_000;
const maxInstructions = 5_000;
const maxDepth = 50;
const maxRepeat = 200;

/** Jumps are relative, so that a piece can be repeated as it is. */
type Piece = readonly Instruction[];

/**
 * Compiles the common part of regular expressions: letters, `.`, `[...]`, `\d \w \s \b` and their
 * opposites, groups, `|`, `* + ? {m,n}`, `^` and `$`. Throws `invalid_input` for everything else.
 */
export function compilePattern(
  source: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): readonly Instruction[] {
  if (source.length > maxLength) throw refused(`it is longer than ${maxLength} characters`);
  const compiler = new Compiler(source, ignoreCase);
  return [...compiler.whole(), { type: "match" }];
}

class Compiler {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  #at = 0;
  #depth = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
  }

  whole(): Piece {
    const piece = this.#alternatives();
    if (this.#at < this.#source.length) throw refused('a ")" closes nothing');
    return piece;
  }

  #alternatives(): Piece {
    if (++this.#depth > maxDepth) throw refused("its groups are nested too deeply");
    let piece = this.#sequence();
    while (this.#take("|")) {
      const other = this.#sequence();
      const jump: Instruction = { type: "jump", to: [1, piece.length + 2] };
      const leave: Instruction = { type: "jump", to: [other.length + 1] };
      piece = bounded(join([jump], piece, [leave], other));
    }
    this.#depth -= 1;
    return piece;
  }

  #sequence(): Piece {
    const pieces: Piece[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? "")) {
      pieces.push(this.#repeated(this.#atom()));
    }
    return bounded(join(...pieces));
  }

  #atom(): Piece {
    const character = this.#next();
    if (character === "(") return this.#group();
    if (character === "[") return [this.#class()];
    if (character === ".") return [{ type: "take", accepts: () => true }];
    if (character === "^") return [{ type: "assert", what: "start" }];
    if (character === "$") return [{ type: "assert", what: "end" }];
    if (character === "\\") return [this.#escape()];
    if (/[*+?]/.test(character)) throw refused(`"${character}" repeats nothing`);
    return [this.#letter(character)];
  }

  #group(): Piece {
    if (this.#take("?") && !this.#take(":")) {
      throw refused("groups beginning with (? are not supported, but for (?:");
    }
    const piece = this.#alternatives();
    if (!this.#take(")")) throw refused('a "(" is not closed');
    return piece;
  }

  #escape(): Instruction {
    const character = this.#next();
    if (character === "b") return { type: "assert", what: "word" };
    if (character === "B") return { type: "assert", what: "inside" };
    const accepts = classOf(character);
    if (accepts) return { type: "take", accepts };
    return this.#letter(unescaped(character));
  }

  #class(): Instruction {
    const isNegated = this.#take("^");
    const tests: ((code: number) => boolean)[] = [];
    while (!this.#take("]")) tests.push(this.#classItem());
    const accepts = (code: number) => tests.some((test) => test(code)) !== isNegated;
    return { type: "take", accepts };
  }

  #classItem(): (code: number) => boolean {
    const first = this.#next();
    const known = first === "\\" ? classOf(this.#source[this.#at] ?? "") : undefined;
    if (known) {
      this.#at += 1;
      return known;
    }
    const low = first === "\\" ? unescaped(this.#next()) : first;
    const isRange = this.#source[this.#at] === "-" && this.#source[this.#at + 1] !== "]";
    if (!isRange) return this.#codeTest(low, low);
    this.#at += 1;
    const second = this.#next();
    return this.#codeTest(low, second === "\\" ? unescaped(this.#next()) : second);
  }

  #letter(character: string): Instruction {
    return { type: "take", accepts: this.#codeTest(character, character) };
  }

  /** Lines come in lower case where case is ignored. */
  #codeTest(low: string, high: string): (code: number) => boolean {
    const [from, to] = [low.charCodeAt(0), high.charCodeAt(0)];
    if (from > to) throw refused(`the range ${low}-${high} is turned round`);
    if (!this.#ignoreCase) return (code) => code >= from && code <= to;
    const [lowFrom, lowTo] = [low.toLowerCase().charCodeAt(0), high.toLowerCase().charCodeAt(0)];
    return (code) => (code >= lowFrom && code <= lowTo) || (code >= from && code <= to);
  }

  #repeated(atom: Piece): Piece {
    const [least, most] = this.#count() ?? [1, 1];
    if (least === 1 && most === 1) return atom;
    // Only whether and where a line matches is asked for: a lazy repetition is as good.
    this.#take("?");
    const size = atom.length;
    const required = Array.from({ length: least }, () => atom);
    if (most === Infinity) {
      const loop: Piece = join([{ type: "jump", to: [1, size + 2] }], atom, [
        { type: "jump", to: [-size - 1] },
      ]);
      return bounded(join(...required, loop));
    }
    const option: Piece = join([{ type: "jump", to: [1, size + 1] }], atom);
    return bounded(join(...required, ...Array.from({ length: most - least }, () => option)));
  }

  #count(): readonly [number, number] | undefined {
    if (this.#take("*")) return [0, Infinity];
    if (this.#take("+")) return [1, Infinity];
    if (this.#take("?")) return [0, 1];
    const braces = /^\{(\d{1,4})(?:(,)(\d{0,4}))?\}/.exec(
      this.#source.slice(this.#at, this.#at + 12),
    );
    if (!braces) return undefined;
    this.#at += braces[0].length;
    const least = Number(braces[1]);
    const last = braces[3] === "" ? Infinity : Number(braces[3]);
    const most = braces[2] === undefined ? least : last;
    if (least > maxRepeat || (most !== Infinity && most > maxRepeat) || most < least) {
      throw refused(`a repetition may count to ${maxRepeat}`);
    }
    return [least, most];
  }

  #next(): string {
    const character = this.#source[this.#at];
    if (character === undefined) throw refused("it ends too early");
    this.#at += 1;
    return character;
  }

  #take(character: string): boolean {
    if (this.#source[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }
}

function join(...pieces: readonly Piece[]): Piece {
  return pieces.flat();
}

function bounded(piece: Piece): Piece {
  if (piece.length > maxInstructions) throw refused("it stands for too many steps");
  return piece;
}

function classOf(letter: string): ((code: number) => boolean) | undefined {
  switch (letter) {
    case "d":
      return isDigitCode;
    case "D":
      return (code) => !isDigitCode(code);
    case "w":
      return isWordCode;
    case "W":
      return (code) => !isWordCode(code);
    case "s":
      return isSpaceCode;
    case "S":
      return (code) => !isSpaceCode(code);
    default:
      return undefined;
  }
}

function unescaped(character: string): string {
  if (character === "t") return "\t";
  if (/[A-Za-z0-9]/.test(character)) throw refused(`\\${character} is not supported`);
  return character;
}

function isDigitCode(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Letters of every script count, so that `\b` stands at the ends of their words too. */
export function isWordCode(code: number): boolean {
  if (code < 128)
    return isDigitCode(code) || code === 95 || ((code | 32) >= 97 && (code | 32) <= 122);
  return /[\p{L}\p{N}\p{M}]/u.test(String.fromCharCode(code));
}

function isSpaceCode(code: number): boolean {
  return /\s/.test(String.fromCharCode(code));
}

function refused(reason: string): OctavoError {
  return new OctavoError("invalid_input", `The pattern cannot be used: ${reason}.`);
}
