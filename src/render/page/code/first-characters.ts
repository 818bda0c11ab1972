import {
  addCharacter,
  addRange,
  addSet,
  anyCharacter,
  complementOf,
  noCharacters,
} from "./character-set.ts";
import type { CharacterSet } from "./character-set.ts";

/**
 * The characters with which a match of a pattern of Oniguruma's Ruby syntax can begin: a line that has none of
 * them need not be searched. Undefined where a match can be empty, or where the pattern has what is not read
 * here. May hold too many characters, never too few.
 */
export function firstCharacters(pattern: string): CharacterSet | undefined {
  return new PatternReader(pattern).read();
}

/** A part of a pattern. */
interface Part {
  /** What it can begin with. */
  readonly first: CharacterSet;
  /** Whether it can match without taking a character, so that what follows can be the first. */
  readonly canBeEmpty: boolean;
}

const escapedCharacters: Readonly<Record<string, number>> = {
  a: 7,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  e: 27,
};
/** `\b`, `\A` and the like take no character. */
const escapedPlaces = "bBAzZG";
const escapedClasses = /^[dDwWsShH]$/;
const quantifier = /[*?+]|\{\d*,?\d*\}/y;
const flagGroup = /\(\?([imx]*)(?:-([imx]+))?([:)])/y;
/** Lookarounds, atomic and named groups: what stands before their content. */
const groupStart = /\((?:\?(?:[=!>]|<[=!]|<\w+>|'\w+'))?(?![?*])/y;
const lookaround = /^\(\?<?[=!]/;
const hexadecimal = /\{\s*([\da-fA-F]+)\s*\}|([\da-fA-F]{1,2})/y;
const unicode = /([\da-fA-F]{4})/y;
const bracketClass = /\[:(\^?)(\w+):\]/y;

class PatternReader {
  readonly #pattern: string;
  #at = 0;
  #isKnown = true;
  /** Whether upper and lower case are the same here (`(?i)`). */
  #foldsCase = false;
  /** Whether blanks and comments have no meaning here (`(?x)`). */
  #isSpaced = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  read(): CharacterSet | undefined {
    const { first, canBeEmpty } = this.#alternatives();
    if (this.#at < this.#pattern.length) this.#giveUp();
    return this.#isKnown && !canBeEmpty ? first : undefined;
  }

  /** What is read from here on does not matter any more. */
  #giveUp(): Part {
    this.#isKnown = false;
    this.#at = this.#pattern.length;
    return anything;
  }

  /** Takes what the expression finds at this place. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }

  #alternatives(): Part {
    const first = noCharacters();
    let canBeEmpty = false;
    for (;;) {
      const part = this.#sequence();
      addSet(first, part.first);
      canBeEmpty ||= part.canBeEmpty;
      if (this.#pattern[this.#at] !== "|") return { first, canBeEmpty };
      this.#at += 1;
    }
  }

  #sequence(): Part {
    const first = noCharacters();
    let canBeEmpty = true;
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) {
      const part = this.#quantified();
      if (canBeEmpty) addSet(first, part.first);
      canBeEmpty &&= part.canBeEmpty;
    }
    return { first, canBeEmpty };
  }

  #quantified(): Part {
    const { first, canBeEmpty } = this.#atom();
    let isOptional = canBeEmpty;
    for (;;) {
      const found = this.#take(quantifier)?.[0];
      if (found === undefined) return { first, canBeEmpty: isOptional };
      isOptional ||= found === "*" || found === "?" || /^\{0*[,}]/.test(found);
      // Behind one of these, another makes it lazy or possessive; behind braces it is a quantifier again.
      if ("*?+".includes(found)) this.#take(/[?+]/y);
    }
  }

  #atom(): Part {
    const sign = this.#pattern[this.#at] ?? "";
    if (this.#isSpaced && this.#take(/\s+|#[^\n]*/y)) return nothing;
    if (sign === "(") return this.#group();
    if (sign === "[") return { first: this.#bracket().set, canBeEmpty: false };
    if (sign === "\\") return this.#escape();
    if (sign === "^" || sign === "$" || sign === ".") {
      this.#at += 1;
      return sign === "." ? anything : nothing;
    }
    return this.#literal(this.#nextCharacter());
  }

  #nextCharacter(): number {
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #literal(code: number): Part {
    // Folded, one character can be two: ß is ss.
    if (this.#foldsCase && code > 127) return anything;
    const first = noCharacters();
    addCharacter(first, code);
    if (this.#foldsCase) this.#addCases(first, code);
    return { first, canBeEmpty: false };
  }

  /** With them what Unicode folds to them: K is also the sign of Kelvin. */
  #addCases(set: CharacterSet, code: number): void {
    const letter = String.fromCharCode(code);
    addCharacter(set, letter.toLowerCase().charCodeAt(0));
    addCharacter(set, letter.toUpperCase().charCodeAt(0));
    addCharacter(set, 0xffff);
  }

  #group(): Part {
    const flags = this.#take(flagGroup);
    if (flags) return this.#flagged(flags);
    const start = this.#take(groupStart)?.[0];
    if (start === undefined) return this.#giveUp();
    const content = this.#closed(() => this.#alternatives());
    return lookaround.test(start) ? nothing : content;
  }

  /** `(?i:...)`, and `(?i)`, which is for all that follows in its group, alternatives included. */
  #flagged([, on = "", off = "", end]: RegExpExecArray): Part {
    const before = { foldsCase: this.#foldsCase, isSpaced: this.#isSpaced };
    this.#foldsCase = (before.foldsCase || on.includes("i")) && !off.includes("i");
    this.#isSpaced = (before.isSpaced || on.includes("x")) && !off.includes("x");
    const read = () => this.#alternatives();
    const content = end === ":" ? this.#closed(read) : read();
    this.#foldsCase = before.foldsCase;
    this.#isSpaced = before.isSpaced;
    return content;
  }

  #closed(read: () => Part): Part {
    const content = read();
    if (this.#pattern[this.#at] !== ")") return this.#giveUp();
    this.#at += 1;
    return content;
  }

  #escape(): Part {
    const sign = this.#pattern[this.#at + 1] ?? "";
    if (escapedPlaces.includes(sign) && sign !== "") {
      this.#at += 2;
      return nothing;
    }
    if (escapedClasses.test(sign)) {
      this.#at += 2;
      return { first: classOf(sign), canBeEmpty: false };
    }
    if (this.#take(/\\[pP]\{[^}]*\}/y)) return anything;
    // What a reference leads to can be anything, and empty.
    if (this.#take(/\\(?:[1-9]\d*|[kg]<[^>]*>)/y)) return { ...anything, canBeEmpty: true };
    const code = this.#escapedCharacter();
    return code === undefined ? this.#giveUp() : this.#literal(code);
  }

  /** The character that an escape stands for. Undefined where it stands for something else. */
  #escapedCharacter(): number | undefined {
    this.#at += 1;
    const code = this.#nextCharacter();
    const sign = String.fromCodePoint(code);
    if (sign === "x" || sign === "u") {
      const [, braced, bare] = this.#take(sign === "x" ? hexadecimal : unicode) ?? [];
      const digits = braced ?? bare;
      return digits === undefined ? undefined : Number.parseInt(digits, 16);
    }
    return /[a-zA-Z\d]/.test(sign) ? escapedCharacters[sign] : code;
  }

  /** A class in brackets. It is exact where it can be turned round. */
  #bracket(): { readonly set: CharacterSet; readonly isExact: boolean } {
    this.#at += 1;
    const isNegated = this.#take(/\^/y) !== undefined;
    const set = noCharacters();
    let isExact = true;
    let isFirst = true;
    while (this.#at < this.#pattern.length) {
      // As the first, it is a character of the class.
      if (this.#pattern[this.#at] === "]" && !isFirst) break;
      isFirst = false;
      isExact = this.#member(set) && isExact;
    }
    if (!this.#take(/\]/y)) this.#giveUp();
    if (!isExact) return { set: anyCharacter(), isExact };
    return { set: isNegated ? complementOf(set) : set, isExact };
  }

  /** Adds what stands at this place in brackets; false where that is more, or less, than is read here. */
  #member(set: CharacterSet): boolean {
    // Intersections, classes by a property of Unicode, and those in brackets and colons.
    if (this.#take(/&&|\\[pP]\{[^}]*\}/y) || this.#take(bracketClass)) return false;
    const sign = this.#pattern[this.#at] ?? "";
    if (sign === "[") {
      const inner = this.#bracket();
      addSet(set, inner.set);
      return inner.isExact;
    }
    const named = this.#take(/\\([dDwWsShH])/y)?.[1];
    if (named !== undefined) {
      addSet(set, classOf(named));
      // What is a blank differs by a character or two.
      return !/[sS]/.test(named);
    }
    const first = this.#memberCharacter();
    if (first === undefined) return false;
    const isRange = this.#take(/-(?![\][]|\\[dDwWsShHpP])/y) !== undefined;
    const last = isRange ? this.#memberCharacter() : first;
    if (last === undefined) return false;
    addRange(set, first, last);
    if (!this.#foldsCase) return true;
    if (last > 127) return false;
    for (let code = first; code <= last; code += 1) this.#addCases(set, code);
    return true;
  }

  #memberCharacter(): number | undefined {
    if (this.#take(/\\b/y)) return 8;
    if (this.#pattern[this.#at] === "\\") return this.#escapedCharacter();
    return this.#nextCharacter();
  }
}

const nothing: Part = { first: noCharacters(), canBeEmpty: true };
const anything: Part = { first: anyCharacter(), canBeEmpty: false };

/** `\d`, `\w`, `\s`, `\h` (a hexadecimal digit) and their opposites. */
function classOf(name: string): CharacterSet {
  const set = noCharacters();
  const kind = name.toLowerCase();
  if (kind === "s") addRange(set, 9, 13);
  if (kind === "s") addCharacter(set, 32);
  if (kind !== "s") addRange(set, 48, 57);
  if (kind === "h" || kind === "w") {
    const last = kind === "h" ? 6 : 26;
    addRange(set, 65, 64 + last);
    addRange(set, 97, 96 + last);
  }
  if (kind === "w") addCharacter(set, 95);
  if (kind !== "h") addCharacter(set, 0xffff);
  if (name === kind) return set;
  const opposite = complementOf(set);
  // Whether a vertical tab is a blank depends on the version.
  if (kind === "s") addCharacter(opposite, 11);
  return opposite;
}
