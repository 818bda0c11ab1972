import * as acorn from "acorn";
import type { Program, Expression, TokenType } from "acorn";

const options = { ecmaVersion: "latest", sourceType: "module" } as const;

/** Parses an ESM block or file. Returns undefined if it is not JavaScript with JSX. */
export function parseModule(script: string): Program | undefined {
  return parseOrUndefined(() => ScriptParser.parse(script, options));
}

/** Reports whether `script` contains only white space and comments. */
export function isEmptyScript(script: string): boolean {
  return skipComments(script, 0) >= script.length;
}

/**
 * Lists the statements of an ESM block that are not imports, exports or declarations, such as text or an element
 * directly below an import. A page shows these statements.
 */
export function listStrayStatements(
  script: string,
): readonly { readonly text: string; readonly element?: JsxElement }[] {
  const statements = parseModule(script)?.body ?? [];
  return statements.flatMap((statement) => {
    if (statement.type !== "ExpressionStatement") return [];
    const expression = statement.expression as ScriptExpression;
    const text = script.slice(statement.start, statement.end);
    return [expression.type === "JsxElement" ? { text, element: expression } : { text }];
  });
}

/** Parses one expression. Returns undefined if `script` is not exactly one expression. */
export function parseExpression(script: string): ScriptExpression | undefined {
  const expression = parseOrUndefined(() => ScriptParser.parseExpressionAt(script, 0, options));
  if (!expression || skipComments(script, findEnd(expression, script)) < script.length)
    return undefined;
  return expression;
}

/** Returns the end of an expression including the parentheses around it, which acorn excludes. */
function findEnd(expression: ScriptExpression, script: string): number {
  let end = skipComments(script, expression.end);
  while (script[end] === ")") end = skipComments(script, end + 1);
  return end;
}

/** Returns undefined if acorn throws a syntax error, or overflows the stack because of deep nesting. */
function parseOrUndefined<Result>(parse: () => Result): Result | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** `<Name attribute="v" {...more}>children</Name>` in a script. The name of `<>` is an empty string. */
export interface JsxElement {
  readonly type: "JsxElement";
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly attributes: readonly JsxAttribute[];
  readonly children: readonly JsxChild[];
}

export type JsxAttribute =
  /** An attribute. Its value is `true` if the author wrote no value. */
  | { readonly type: "attribute"; readonly name: string; readonly value: JsxAttributeValue }
  | { readonly type: "spread"; readonly value: ScriptExpression };

type JsxAttributeValue = true | string | ScriptExpression;

export type JsxChild =
  | { readonly type: "text"; readonly value: string }
  | { readonly type: "expression"; readonly value: ScriptExpression }
  | JsxElement;

export type ScriptExpression = Expression | JsxElement;

interface TokContext {
  readonly isExpr: boolean;
}

/** Acorn exports this value, but its type declarations do not include it. */
const { tokContexts } = acorn as unknown as { tokContexts: { readonly b_expr: TokContext } };

/** The members of acorn's parser that plugins use but that acorn's type declarations do not include. */
interface ParserInternals {
  readonly input: string;
  type: TokenType;
  value: unknown;
  start: number;
  end: number;
  pos: number;
  exprAllowed: boolean;
  readonly context: TokContext[];
  next(): void;
  nextToken(): void;
  parseExpression(): Expression;
  parseMaybeAssign(): Expression;
  parseExprAtom(...rest: unknown[]): Expression | JsxElement;
  raise(at: number, message: string): never;
}

type ParserClass = typeof acorn.Parser;
const Base = acorn.Parser as unknown as new (...rest: never[]) => ParserInternals;

const spacePattern = /\s*/y;
const namePattern = /[\p{L}_$][\p{L}\p{N}_$.:-]*/uy;

/** Adds JSX to acorn by reading `<` at the beginning of an expression as the start of an element. */
class JsxParser extends Base {
  override parseExprAtom(...rest: unknown[]): Expression | JsxElement {
    if (this.type !== acorn.tokTypes.relational || this.value !== "<") {
      return super.parseExprAtom(...rest);
    }
    const element = this.#readElement(this.start);
    // At the end of the element, acorn continues as if a string had just ended.
    this.#resume(element.end);
    return element;
  }

  #resume(at: number): void {
    this.pos = at;
    this.end = at;
    this.type = acorn.tokTypes.string;
    this.exprAllowed = false;
    this.next();
  }

  #readElement(start: number): JsxElement {
    const tag = this.#readTag(start);
    if (tag.isSelfClosing) return this.#createElement(start, tag.end, tag, []);
    const children: JsxChild[] = [];
    let at = tag.end;
    for (;;) {
      const next = this.#findDelimiter(at);
      const text = joinLines(this.input.slice(at, next));
      if (text !== "") children.push({ type: "text", value: text });
      if (this.input[next] === "{") {
        at = this.#readChildExpression(next, children);
      } else if (this.input[next + 1] === "/") {
        const end = this.#readClosingTag(next, tag.name);
        return this.#createElement(start, end, tag, children);
      } else {
        const child = this.#readElement(next);
        children.push(child);
        at = child.end;
      }
    }
  }

  #createElement(start: number, end: number, tag: Tag, children: readonly JsxChild[]): JsxElement {
    const { name, attributes } = tag;
    return { type: "JsxElement", start, end, name, attributes, children };
  }

  /** Returns the offset of the next `{` or `<`. */
  #findDelimiter(from: number): number {
    let at = from;
    while (at < this.input.length && this.input[at] !== "{" && this.input[at] !== "<") at++;
    if (at === this.input.length) this.raise(from, "An element is not closed");
    return at;
  }

  #readTag(start: number): Tag {
    let at = this.#skipSpace(start + 1);
    const tagName = this.#match(namePattern, at);
    at = this.#skipSpace(at + tagName.length);
    const attributes: JsxAttribute[] = [];
    while (this.input[at] !== ">" && this.input[at] !== "/") {
      at = this.#skipSpace(this.#readAttribute(at, attributes));
    }
    const isSelfClosing = this.input[at] === "/";
    const end = isSelfClosing ? this.#skipSpace(at + 1) : at;
    this.#expect(end, ">");
    return { name: tagName, attributes, end: end + 1, isSelfClosing };
  }

  #readClosingTag(start: number, tagName: string): number {
    const at = this.#skipSpace(start + 2);
    const closingName = this.#match(namePattern, at);
    if (closingName !== tagName) this.raise(at, `Expected </${tagName}>, found </${closingName}>`);
    const end = this.#skipSpace(at + closingName.length);
    this.#expect(end, ">");
    return end + 1;
  }

  #readAttribute(start: number, attributes: JsxAttribute[]): number {
    if (this.input[start] === "{") {
      const dots = this.#skipSpace(start + 1);
      if (!this.input.startsWith("...", dots)) this.raise(start, "Expected `...` in `{}`");
      const { value, end } = this.#readBraces(dots + 2);
      attributes.push({ type: "spread", value });
      return end;
    }
    const attribute = this.#match(namePattern, start);
    if (attribute === "") this.raise(start, "Expected the name of an attribute");
    const equals = this.#skipSpace(start + attribute.length);
    if (this.input[equals] !== "=") {
      attributes.push({ type: "attribute", name: attribute, value: true });
      return start + attribute.length;
    }
    const { value, end } = this.#readAttributeValue(this.#skipSpace(equals + 1));
    attributes.push({ type: "attribute", name: attribute, value });
    return end;
  }

  #readAttributeValue(at: number): { value: JsxAttributeValue; end: number } {
    const quote = this.input[at];
    if (quote === "{") return this.#readBraces(at);
    if (quote !== '"' && quote !== "'") this.raise(at, "Expected the value of an attribute");
    const end = this.input.indexOf(quote, at + 1);
    if (end === -1) this.raise(at, "A string is not closed");
    return { value: this.input.slice(at + 1, end), end: end + 1 };
  }

  /** Reads the expression after the `{` at `at`, and the closing `}`, with acorn. */
  #readBraces(at: number): { value: ScriptExpression; end: number } {
    this.context.push(tokContexts.b_expr);
    this.pos = at + 1;
    this.exprAllowed = true;
    this.nextToken();
    const value = this.parseExpression();
    if (this.type !== acorn.tokTypes.braceR) this.raise(this.start, "Expected `}`");
    return { value, end: this.end };
  }

  #readChildExpression(at: number, children: JsxChild[]): number {
    const inner = skipComments(this.input, at + 1);
    if (this.input[inner] === "}") return inner + 1;
    const { value, end } = this.#readBraces(at);
    children.push({ type: "expression", value });
    return end;
  }

  #match(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    return pattern.exec(this.input)?.[0] ?? "";
  }

  #skipSpace(at: number): number {
    return at + this.#match(spacePattern, at).length;
  }

  #expect(at: number, char: string): void {
    if (this.input[at] !== char) this.raise(at, `Expected \`${char}\``);
  }
}

interface Tag {
  readonly name: string;
  readonly attributes: readonly JsxAttribute[];
  readonly end: number;
  readonly isSelfClosing: boolean;
}

const ScriptParser = JsxParser as unknown as ParserClass;

/** Lists the elements of a script in the order in which they begin. */
export function listElements(script: object): readonly JsxElement[] {
  const elements: JsxElement[] = [];
  const stack: unknown[] = [script];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (Array.isArray(part)) stack.push(...part.filter((item) => item !== undefined));
    else if (typeof part === "object" && part !== null) {
      if (isElementNode(part)) elements.push(part);
      stack.push(...Object.values(part).filter((value) => typeof value === "object" && value));
    }
  }
  return elements.toSorted((left, right) => left.start - right.start);
}

function isElementNode(part: object): part is JsxElement {
  return "type" in part && part.type === "JsxElement";
}

const elementNumbers = new WeakMap<readonly object[], ReadonlyMap<JsxElement, number>>();

/**
 * Returns the number of an element within a file's modules, or undefined if the element is in an expression of a page.
 */
export function findElementNumber(
  element: JsxElement,
  modules: readonly object[],
): number | undefined {
  const cachedNumbers = elementNumbers.get(modules);
  if (cachedNumbers) return cachedNumbers.get(element);
  const elements = modules.flatMap(listElements);
  const numbers = new Map(elements.map((item, index) => [item, index]));
  elementNumbers.set(modules, numbers);
  return numbers.get(element);
}

/** Returns the offset after the white space and comments that begin at `from`. */
function skipComments(script: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < script.length && /\s/.test(script[at] ?? "")) at++;
    const isBlock = script.startsWith("/*", at);
    if (!isBlock && !script.startsWith("//", at)) return at;
    const end = script.indexOf(isBlock ? "*/" : "\n", at + 2);
    if (end === -1) return script.length;
    at = end + (isBlock ? 2 : 1);
  }
}

/** Joins lines with one space and removes indentation and empty lines, as JSX does. */
function joinLines(text: string): string {
  if (!text.includes("\n")) return text;
  const lines = text.split("\n");
  const last = lines.length - 1;
  return lines
    .map((line, index) => {
      const start = index === 0 ? line : line.trimStart();
      return index === last ? start : start.trimEnd();
    })
    .filter((line) => line !== "")
    .join(" ");
}
