/** The maximum number of texts. The search for more takes longer than the search for the pattern. */
const maxTexts = 20;

/** Escapes of one letter that match a position, a class or a control character. */
const singleEscapes = /^[abBdDfnrsStvwWzA]$/;
const repetition = /\{(\d+)(?:,\d*)?\}/y;

/** A part of a pattern: a character, or something that contains one of the texts. */
interface Part {
  readonly character?: string;
  readonly texts?: readonly string[] | undefined;
}

/**
 * Finds texts of which every match of a pattern in RE2's syntax contains at least one. Returns undefined if there may
 * be no such texts. With `ignoreCase`, they contain only ASCII characters, which all engines fold alike.
 */
export function findCertainTexts(
  source: string,
  { ignoreCase }: { readonly ignoreCase: boolean },
): readonly string[] | undefined {
  const reader = new PatternReader(source, ignoreCase);
  const texts = reader.readAlternatives();
  return reader.isUnderstood ? texts : undefined;
}

class PatternReader {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  #at = 0;
  /** False after syntax that this reader does not know. Nothing is certain then. */
  isUnderstood = true;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
  }

  readAlternatives(): readonly string[] | undefined {
    const branches = [this.#readSequence()];
    while (this.#takes("|")) branches.push(this.#readSequence());
    const texts = branches.flatMap((branch) => branch ?? []);
    return texts.length <= maxTexts && !branches.includes(undefined) ? texts : undefined;
  }

  #readSequence(): readonly string[] | undefined {
    let best: readonly string[] | undefined;
    let run = "";
    const offer = (texts: readonly string[] | undefined) => {
      if (texts && getMinLength(texts) > getMinLength(best ?? [])) best = texts;
    };
    while (this.isUnderstood && !/^[|)]?$/.test(this.#source.charAt(this.#at))) {
      const { character = "", texts } = this.#readPart();
      const count = this.#readQuantifier();
      if (count !== "optional") run += character;
      if (character !== "" && count === "once") continue;
      offer([run]);
      run = "";
      if (count !== "optional") offer(texts);
    }
    offer([run]);
    return best;
  }

  #readPart(): Part {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    this.#at += character.length;
    if (character === "\\") return this.#readEscape();
    if (character === "(") return this.#readGroup();
    if (character === "[") return this.#skipClass();
    return /[.^$]/.test(character) ? {} : this.#toPart(character);
  }

  #toPart(character: string): Part {
    const isCertain = this.#ignoreCase ? /[ -~]/.test(character) : character >= " ";
    return isCertain ? { character } : {};
  }

  #readEscape(): Part {
    const character = this.#source.charAt(this.#at);
    this.#at += 1;
    if (/[!-/:-@[-`{-~]/.test(character)) return { character };
    if (!singleEscapes.test(character)) this.isUnderstood = false;
    return {};
  }

  #readGroup(): Part {
    if (this.#takes("?") && !this.#takes(":")) this.isUnderstood = false;
    const texts = this.readAlternatives();
    if (!this.#takes(")")) this.isUnderstood = false;
    return { texts };
  }

  #skipClass(): Part {
    const end = /\^?\]?(?:[^\\\][]|\\[^pPQ])*\]/y;
    end.lastIndex = this.#at;
    if (end.test(this.#source)) this.#at = end.lastIndex;
    else this.isUnderstood = false;
    return {};
  }

  #readQuantifier(): "once" | "repeated" | "optional" {
    repetition.lastIndex = this.#at;
    const [whole = "", min] = repetition.exec(this.#source) ?? [];
    this.#at += whole.length;
    const isOptional = whole === "" ? this.#takes("*") || this.#takes("?") : Number(min) === 0;
    const isRepeated = whole !== "" || (!isOptional && this.#takes("+"));
    if (!isOptional && !isRepeated) return "once";
    this.#takes("?");
    return isOptional ? "optional" : "repeated";
  }

  #takes(sign: string): boolean {
    const isNext = this.#source.startsWith(sign, this.#at);
    if (isNext) this.#at += sign.length;
    return isNext;
  }
}

/** Returns the length of the shortest text; 0 without texts. */
function getMinLength(texts: readonly string[]): number {
  return texts.length === 0 ? 0 : Math.min(...texts.map(({ length }) => length));
}
