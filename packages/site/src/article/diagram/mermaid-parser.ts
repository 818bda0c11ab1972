import { createContext, Script, type Context } from "node:vm";
import { readMermaidScript } from "../../markup/index.ts";

/** Reads diagrams in the same way as Mermaid in the reader's browser. */
interface MermaidParser {
  /** Returns the reason that Mermaid rejects a diagram; undefined if Mermaid accepts it. */
  findFault(source: string): MermaidFault | undefined;
}

export interface MermaidFault {
  /** A sentence for the author. */
  readonly reason: string;
  /** The 0-based line of the diagram, if Mermaid names one. */
  readonly line?: number;
}

/** The maximum length of a diagram, which is Mermaid's own limit. */
const maxLength = 50_000;

/**
 * The browser objects that Mermaid's parsers look for. The document has no HTML implementation, so Mermaid's sanitizer
 * does not change text. This is safe because nothing is drawn.
 */
const browser = `
  var window = globalThis, self = globalThis, navigator = { userAgent: "" };
  var Element = class {};
  var document = {
    nodeType: 9, implementation: {}, addEventListener() {}, createElement: () => ({}), querySelector: () => null,
  };
  var URL = class {
    constructor(href) {
      this.href = String(href);
      this.protocol = /^[a-z][a-z0-9+.-]*:/i.exec(this.href)?.[0].toLowerCase();
      if (this.protocol === undefined) throw new TypeError("Invalid URL");
    }
    toString() { return this.href; }
  };
  var structuredClone = (value) => {
    if (value instanceof Map) return new Map(structuredClone([...value]));
    if (value instanceof Set) return new Set(structuredClone([...value]));
    if (Array.isArray(value)) return value.map(structuredClone);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, structuredClone(part)]));
  };
  var addEventListener = () => {}, setTimeout = () => 0, clearTimeout = () => {};
  var console = Object.fromEntries(
    ["debug", "error", "info", "log", "trace", "warn"].map((name) => [name, () => {}]),
  );
`;

const start = `
  mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
  var answer;
  // If a parser fails because it needs other browser objects, the error says nothing about the diagram.
  var describe = (error) =>
    error instanceof ReferenceError || error instanceof TypeError ? "" : String(error?.message ?? error);
`;

/**
 * Creates a parser that loads Mermaid on first use, which takes 0.3 s of CPU time. Mermaid runs for at most `maxMs` per
 * diagram, which usually takes about 15, in its own context without any Node.js functions.
 */
export function createMermaidParser(maxMs: number): MermaidParser {
  let script: Script | undefined;
  let context: Context | undefined;

  function open(): Context {
    // Mermaid's asynchronous work is completed before the call returns and is included in the time limit.
    const created = createContext(
      {},
      { microtaskMode: "afterEvaluate", codeGeneration: { strings: false, wasm: false } },
    );
    script ??= new Script(readMermaidScript().toString("utf8"), { filename: "mermaid.js" });
    new Script(browser).runInContext(created);
    script.runInContext(created);
    new Script(start).runInContext(created);
    return created;
  }

  return {
    findFault(source) {
      if (source.length > maxLength) {
        return { reason: `It is longer than ${maxLength} characters.` };
      }
      context ??= open();
      try {
        new Script(
          `answer = undefined; mermaid.parse(${JSON.stringify(source)})` +
            `.then(() => { answer = ""; }, (error) => { answer = describe(error); });`,
        ).runInContext(context, { timeout: maxMs });
        const answer: unknown = new Script("answer").runInContext(context);
        return answer === "" ? undefined : describeFault(source, String(answer));
      } catch {
        // Mermaid may still be working in the context.
        context = undefined;
        return { reason: `Mermaid could not read it within ${maxMs / 1000} seconds.` };
      }
    },
  };
}

const maxQuoted = 80;

function describeFault(source: string, message: string): MermaidFault {
  if (message.startsWith("No diagram type detected")) {
    return { reason: "It does not begin with a type of diagram." };
  }
  const number = /\bon line (\d+)/.exec(message)?.[1];
  const line = number === undefined ? undefined : findLine(source, Number(number));
  if (line === undefined) {
    const [first = ""] = message.split("\n");
    return { reason: `Mermaid says: ${first.slice(0, 200)}` };
  }
  const text = source.split("\n")[line]?.trim() ?? "";
  const quoted = text.length > maxQuoted ? `${text.slice(0, maxQuoted)}…` : text;
  return { reason: `Mermaid does not understand "${quoted}".`, line };
}

/** Converts Mermaid's line number, which is 1-based and excludes comments and settings, to a line of the source. */
function findLine(source: string, number: number): number {
  const withoutSettings = source
    .replace(/^\s*---[ \t]*\n[^]*?\n[ \t]*---[ \t]*(?=\n)/, blankOut)
    .replaceAll(/%%\{[^]*?\}%%/g, blankOut);
  const lines = withoutSettings.split("\n").map((line) => line.trim());
  const first = lines.findIndex((line) => line !== "" && !line.startsWith("%%"));
  const counted = lines.flatMap((line, at) => (at < first || line.startsWith("%%") ? [] : [at]));
  const last = lines.findLastIndex((line) => line !== "" && !line.startsWith("%%"));
  return Math.min(counted[number - 1] ?? last, Math.max(last, 0));
}

function blankOut(text: string): string {
  return text.replaceAll(/[^\n]/g, "");
}
