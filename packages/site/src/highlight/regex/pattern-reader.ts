import {
  addCharacter,
  addRange,
  addSet,
  createFullSet,
  beyondAsciiCode,
  createCharacterSet,
  invertSet,
  createNamedClass,
  createEmptySet,
  createShorthandClass,
} from "./character-set.ts";
import type { CharacterSet } from "./character-set.ts";
import { anyPosition, canBeAt, endOfLine, startOfLine, startOfText } from "./pattern-algebra.ts";
import type { PatternPosition, Lookaround, PatternAlgebra } from "./pattern-algebra.ts";

/**
 * Evaluates a pattern in Oniguruma's Ruby syntax with an algebra. Returns undefined if the pattern contains syntax that
 * is not supported here. The set of characters that can begin a part may be too large but is never too small. The sets
 * of the second character and of the preceding character are correct only for ASCII lines, because ß also matches ss.
 */
export function analyzePattern<Part>(
  pattern: string,
  algebra: PatternAlgebra<Part>,
): Part | undefined {
  return new PatternReader(pattern, algebra).read();
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
/** Escapes that match a position, not a character. */
const escapedPositions: Readonly<Record<string, PatternPosition>> = {
  A: startOfText,
  B: anyPosition,
  G: anyPosition,
  Z: endOfLine,
  z: endOfLine,
};
const escapedClasses = /^[dDwWsShH]$/;
const quantifier = /[*?+]|\{(?:(\d+)(?:,(\d*))?|,\d+)\}/y;
const blanks = /(?:\s|#[^\n]*)+/y;
const flagGroup = /\(\?([imx]*)(?:-([imx]+))?([:)])/y;
const flagSwitch = /\(\?[imx-]+\)/y;
const negated = /\[\^/y;
/** Matches a comment, or a group that may contain comments. */
const comments = /\(\?(?:#|[im]*x)/y;
/** Matches the opening of lookarounds, atomic groups and named groups. */
const groupOpening = /\((?:\?(?:[=!>]|<[=!]|<\w+>|'\w+'))?(?![?*])/y;
const capturingGroup = /^\((?:\?<\w|\?'|$)/;
const lookarounds: Readonly<Record<string, Lookaround>> = {
  "(?=": "ahead",
  "(?!": "notAhead",
  "(?<=": "behind",
  "(?<!": "notBehind",
};
const hexadecimal = /\{\s*([\da-fA-F]+)\s*\}|([\da-fA-F]{1,2})/y;
const unicode = /([\da-fA-F]{4})/y;
const bracketClass = /\[:(\^?)(\w+):\]/y;
const property = /\\[pP]\{(\^?)([^}]*)\}/y;

class PatternReader<Part> {
  readonly #pattern: string;
  readonly #algebra: PatternAlgebra<Part>;
  #at = 0;
  #isSupported = true;
  /** Whether the reader is in a lookbehind, whose end is as important as its beginning. */
  #readsAll = false;
  /** Whether case is ignored here (`(?i)`). */
  #foldsCase = false;
  /** Whether the most recently read class may contain a character that case folding converts to several characters. */
  #mayHoldMultiFold = false;
  /** The position at which the content of the last lookaround begins. */
  #lookaroundStart = -1;
  /** Whether white space and comments are ignored here (`(?x)`). */
  #isSpaced = false;

  constructor(pattern: string, algebra: PatternAlgebra<Part>) {
    this.#pattern = pattern;
    this.#algebra = algebra;
  }

  read(): Part | undefined {
    const whole = this.#readAlternatives();
    if (this.#at < this.#pattern.length) this.#giveUp();
    return this.#isSupported ? whole : undefined;
  }

  /** Stops reading, which makes the result undefined. */
  #giveUp(): Part {
    this.#isSupported = false;
    this.#at = this.#pattern.length;
    return this.#algebra.anything;
  }

  /** Consumes the text that the expression matches here. */
  #take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#pattern) ?? undefined;
    if (match) this.#at += match[0].length;
    return match;
  }

  #isAt(expression: RegExp): boolean {
    expression.lastIndex = this.#at;
    return expression.test(this.#pattern);
  }

  #readAlternatives(): Part {
    let either = this.#readSequence();
    while (this.#pattern[this.#at] === "|") {
      this.#at += 1;
      either = this.#algebra.either(either, this.#readSequence());
    }
    return either;
  }

  #readSequence(): Part {
    let sequence = this.#algebra.nothing(anyPosition);
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at] ?? "")) {
      sequence = this.#algebra.sequence(sequence, this.#readQuantified());
      if (!this.#readsAll && this.#algebra.isSettled(sequence)) this.#skipSequence();
    }
    return sequence;
  }

  /** Skips to the end of the sequence, or to flags that also apply after the sequence. */
  #skipSequence(): void {
    if (this.#isSpaced) return;
    for (let depth = 0; this.#at < this.#pattern.length; this.#at += 1) {
      const sign = this.#pattern[this.#at];
      if (depth === 0 && (sign === ")" || sign === "|")) return;
      if (sign === "(") {
        if (depth === 0 && this.#isAt(flagSwitch)) return;
        if (this.#isAt(comments)) return void this.#giveUp();
        depth += 1;
      }
      if (sign === ")") depth -= 1;
      if (sign === "\\") this.#at += 1;
      if (sign === "[") this.#skipBracket();
    }
  }

  #readQuantified(): Part {
    let part = this.#readAtom();
    for (;;) {
      if (this.#isSpaced) this.#take(blanks);
      const [found, min, max] = this.#take(quantifier) ?? [];
      if (found === undefined) return part;
      // In reverse order, as in {2,0}, the numbers have a different meaning.
      if (Number(min || 0) > Number(max || Infinity)) return this.#giveUp();
      if (found !== "?") part = this.#algebra.repeated(part);
      if (found === "*" || found === "?" || /^\{0*[,}]/.test(found)) {
        part = this.#algebra.optional(part);
      }
      // After one of these characters, `?` makes the quantifier lazy and `+` makes it possessive. After braces, both
      // are read as separate quantifiers.
      const isPossessive = "*?+".includes(found) && this.#take(/[?+]/y)?.[0] === "+";
      if (isPossessive) part = this.#createAtomic(part);
    }
  }

  #readAtom(): Part {
    const sign = this.#pattern[this.#at] ?? "";
    if (this.#isSpaced && this.#take(blanks)) return this.#algebra.nothing(anyPosition);
    if (sign === "(") return this.#readGroup();
    if (sign === "[") return this.#readClass();
    if (sign === "\\") return this.#readEscape();
    if (!"^$.".includes(sign)) return this.#createLiteral(this.#readCharacter());
    this.#at += 1;
    if (sign === ".") return this.#algebra.anyCharacter;
    return this.#algebra.nothing(sign === "$" ? endOfLine : startOfLine);
  }

  /**
   * Reads a class. If case is ignored, ß also matches ss, so a class that contains such a character and is not negated
   * also matches two or three characters.
   */
  #readClass(): Part {
    const start = this.#at;
    const isNegated = this.#isAt(negated);
    this.#mayHoldMultiFold = false;
    const { set, isExact } = this.#readBracket();
    const one = this.#algebra.character(isExact ? set : createFullSet());
    const takesMore = this.#foldsCase && !isNegated && (!isExact || this.#mayHoldMultiFold);
    if (!takesMore || (hasMultiFoldLetters(set) && this.#takesOneByOne(start))) return one;
    const more = this.#algebra.sequence(
      this.#algebra.character(multiFoldStarts),
      this.#algebra.anything,
    );
    return this.#algebra.either(one, more);
  }

  /**
   * Reports whether a class with all letters, starting at `start`, matches the same text regardless of whether it
   * consumes two letters at once or one at a time.
   */
  #takesOneByOne(start: number): boolean {
    const sign = this.#pattern[this.#at] ?? "";
    if (start === this.#lookaroundStart && ")|".includes(sign)) return true;
    const end = this.#at;
    // An example is [a-zß][a-zß_]*.
    let isLetter = true;
    if (this.#isAt(/\[(?!\^)/y)) isLetter = hasMultiFoldLetters(this.#readBracket().set);
    else this.#take(/\\w/y);
    const isRepeated = isLetter && this.#isAt(/[+*]/y);
    this.#at = end;
    return isRepeated;
  }

  #readCharacter(): number {
    const code = this.#pattern.codePointAt(this.#at) ?? 0;
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #createLiteral(code: number): Part {
    // If case is ignored, one character can match two, e.g. ß matches ss.
    if (this.#foldsCase && code > 127) return this.#algebra.anything;
    const first = createEmptySet();
    addCharacter(first, code);
    if (this.#foldsCase) this.#addCases(first, code);
    return this.#algebra.character(first);
  }

  /**
   * Adds both cases of a letter and the characters that Unicode folds to the letter. For example, K also matches the
   * Kelvin sign.
   */
  #addCases(set: CharacterSet, code: number): void {
    const letter = String.fromCharCode(code);
    addCharacter(set, letter.toLowerCase().charCodeAt(0));
    addCharacter(set, letter.toUpperCase().charCodeAt(0));
    addCharacter(set, 0xffff);
  }

  #readGroup(): Part {
    const flags = this.#take(flagGroup);
    if (flags) return this.#readFlagged(flags);
    const start = this.#take(groupOpening)?.[0];
    if (start === undefined) return this.#giveUp();
    const kind = lookarounds[start];
    const readsAll = this.#readsAll;
    this.#readsAll ||= kind === "behind" || kind === "notBehind";
    if (kind !== undefined) this.#lookaroundStart = this.#at;
    const content = this.#readClosed(() => this.#readAlternatives());
    this.#readsAll = readsAll;
    if (start === "(?>") return this.#createAtomic(content);
    if (capturingGroup.test(start)) return this.#algebra.group(content);
    return kind === undefined ? content : this.#algebra.lookaround(content, kind);
  }

  /**
   * Returns an atomic group, which never backtracks. In a lookbehind, engines that read from right to left behave
   * differently.
   */
  #createAtomic(part: Part): Part {
    return this.#readsAll ? this.#algebra.anything : part;
  }

  /** Reads `(?i:...)`, or `(?i)`, which applies to the remainder of its group, including alternatives. */
  #readFlagged([, on = "", off = "", end]: RegExpExecArray): Part {
    const before = { foldsCase: this.#foldsCase, isSpaced: this.#isSpaced };
    this.#foldsCase = (before.foldsCase || on.includes("i")) && !off.includes("i");
    this.#isSpaced = (before.isSpaced || on.includes("x")) && !off.includes("x");
    const read = () => this.#readAlternatives();
    const content = end === ":" ? this.#readClosed(read) : read();
    this.#foldsCase = before.foldsCase;
    this.#isSpaced = before.isSpaced;
    return content;
  }

  #readClosed(read: () => Part): Part {
    const content = read();
    if (this.#pattern[this.#at] !== ")") return this.#giveUp();
    this.#at += 1;
    return content;
  }

  #readEscape(): Part {
    const sign = this.#pattern[this.#at + 1] ?? "";
    const position = escapedPositions[sign];
    if (position || sign === "b") {
      this.#at += 2;
      return position ? this.#algebra.nothing(position) : this.#algebra.wordBoundary;
    }
    if (escapedClasses.test(sign)) {
      this.#at += 2;
      return this.#algebra.character(createShorthandClass(sign));
    }
    const named = this.#take(property);
    if (named)
      return this.#algebra.character(createNamedClass(named, this.#foldsCase) ?? createFullSet());
    // A reference can match any text, including empty text.
    if (this.#take(/\\(?:[1-9]\d*|[kg]<[^>]*>)/y)) return this.#algebra.anything;
    const code = this.#readEscapedCharacter();
    return code === undefined ? this.#giveUp() : this.#createLiteral(code);
  }

  /** Reads the character that an escape represents. Returns undefined if the escape does not represent a character. */
  #readEscapedCharacter(): number | undefined {
    this.#at += 1;
    const code = this.#readCharacter();
    const sign = String.fromCodePoint(code);
    if (sign === "x" || sign === "u") {
      const [, braced, bare] = this.#take(sign === "x" ? hexadecimal : unicode) ?? [];
      const digits = braced ?? bare;
      return digits === undefined ? undefined : Number.parseInt(digits, 16);
    }
    // A control or meta character, which includes the following characters.
    if ("cCM".includes(sign)) this.#giveUp();
    return /[a-zA-Z\d]/.test(sign) ? escapedCharacters[sign] : code;
  }

  /** Reads a class in brackets. If `isExact` is false, the class may contain more characters than `set`. */
  #readBracket(): { readonly set: CharacterSet; readonly isExact: boolean } {
    this.#at += 1;
    const isNegated = this.#take(/\^/y) !== undefined;
    const set = createEmptySet();
    let isExact = true;
    let isFirst = true;
    while (this.#at < this.#pattern.length) {
      // A closing bracket that is the first character belongs to the class.
      if (this.#pattern[this.#at] === "]" && !isFirst) break;
      isFirst = false;
      isExact = this.#readMember(set) && isExact;
    }
    if (!this.#take(/\]/y)) this.#giveUp();
    if (!isNegated) return { set, isExact };
    if (!isExact) return { set: createEmptySet(), isExact };
    const opposite = invertSet(set);
    // Whether a vertical tab is white space depends on the version of Oniguruma.
    addCharacter(opposite, 11);
    return { set: opposite, isExact };
  }

  /** Adds the next member of the class. Returns false if its characters are not known exactly. */
  #readMember(set: CharacterSet): boolean {
    // If case is ignored, an intersection may lack letters that are written in it.
    if (this.#take(/&&/y)) {
      if (this.#foldsCase) this.#giveUp();
      return false;
    }
    const classMatch = this.#take(bracketClass) ?? this.#take(property);
    if (classMatch) {
      const named = createNamedClass(classMatch, this.#foldsCase);
      this.#addClass(set, named ?? createEmptySet());
      return named !== undefined;
    }
    const sign = this.#pattern[this.#at] ?? "";
    if (sign === "[") return this.#readInnerBracket(set);
    const short = this.#take(/\\([dDwWsShH])/y)?.[1];
    if (short !== undefined) {
      this.#addClass(set, createShorthandClass(short));
      return true;
    }
    return this.#readRange(set);
  }

  #readInnerBracket(set: CharacterSet): boolean {
    // The nested class is negated before case folding is applied.
    const isFoldedLater = this.#foldsCase && this.#isAt(negated);
    const inner = this.#readBracket();
    addSet(set, inner.set);
    return inner.isExact && !isFoldedLater;
  }

  /** Reads a single character or a range. */
  #readRange(set: CharacterSet): boolean {
    const first = this.#readMemberCharacter();
    if (first === undefined) return false;
    const isRange = this.#take(/-(?![\][]|\\[dDwWsShHpP])/y) !== undefined;
    const last = isRange ? this.#readMemberCharacter() : first;
    if (last === undefined) return false;
    addRange(set, first, last);
    if (!this.#foldsCase) return true;
    if (last > 127) return false;
    for (let code = first; code <= last; code += 1) this.#addCases(set, code);
    return true;
  }

  #addClass(set: CharacterSet, added: CharacterSet): void {
    addSet(set, added);
    this.#mayHoldMultiFold ||= canHoldMultiFold(added);
  }

  /** Skips to the bracket that closes this class. */
  #skipBracket(): void {
    this.#take(/\[\^?\]?/y);
    for (; this.#at < this.#pattern.length; this.#at += 1) {
      const sign = this.#pattern[this.#at];
      if (sign === "]") return;
      if (sign === "\\") this.#at += 1;
      // A POSIX class has its own closing bracket.
      if (sign === "[" && this.#take(bracketClass)) this.#at -= 1;
      else if (sign === "[") this.#skipBracket();
    }
  }

  #readMemberCharacter(): number | undefined {
    if (this.#take(/\\b/y)) return 8;
    if (this.#pattern[this.#at] === "\\") return this.#readEscapedCharacter();
    return this.#readCharacter();
  }
}

/** The first characters of the sequences that case folding makes equal to one character, e.g. ss and ß, or fi and ﬁ. */
const multiFoldStarts: CharacterSet = createCharacterSet(
  beyondAsciiCode,
  ...toCodes("afhijstwyAFHIJSTWY"),
);

const multiFoldLetters = toCodes("filst");

/** Reports whether a class with this set may contain a character that case folding converts to several characters. */
function canHoldMultiFold(set: CharacterSet): boolean {
  return canBeAt(set, beyondAsciiCode) && multiFoldLetters.some((code) => canBeAt(set, code));
}

/**
 * Reports whether the set contains all ASCII letters of the sequences that are folded to one character (ff, fi, fl, ss,
 * st).
 */
function hasMultiFoldLetters(set: CharacterSet): boolean {
  return multiFoldLetters.every((code) => canBeAt(set, code));
}

function toCodes(letters: string): number[] {
  return letters.split("").map((letter) => letter.charCodeAt(0));
}
