import {
  protectLabel,
  readLabel,
  readStatement,
  type KnownDiagram,
  type StatementRule,
} from "./known-diagram.ts";

/** A mention of a node in a statement. */
interface Mention {
  readonly id: string;
  readonly shape?: Shape;
  readonly label?: string;
  readonly className?: string;
  /** The group that contains the statement. */
  readonly scope: Subgraph | undefined;
}

interface Shape {
  readonly open: string;
  readonly close: string;
  /** Matches the characters that would end a label of this shape. */
  readonly closing: RegExp;
}

interface Subgraph {
  readonly id: string;
  readonly parent: Subgraph | undefined;
  isOpen: boolean;
  isEmpty: boolean;
}

interface KnownNode {
  readonly name: string;
  home: Subgraph | undefined;
  shape: Shape;
  label: string;
  className: string | undefined;
}

type Statement = string | { readonly groups: readonly Mention[][]; readonly arrows: string[] };

function createShape(open: string, close: string, closing: RegExp): Shape {
  return { open, close, closing };
}

/** The shapes that the library draws as Mermaid does, with longer delimiters first. */
const shapes: readonly Shape[] = [
  createShape("(((", ")))", /\)/g),
  createShape("([", "])", /[\])]/g),
  createShape("((", "))", /\)/g),
  createShape("[[", "]]", /\]/g),
  createShape("[(", ")]", /[)\]]/g),
  createShape("{{", "}}", /\}/g),
  createShape("[", "]", /\]/g),
  createShape("(", ")", /\)/g),
  createShape("{", "}", /\}/g),
  createShape(">", "]", /\]/g),
];
const plainShape = createShape("[", "]", /\]/g);

const header = /^(?:graph|flowchart)(?:[ \t]+(TD|TB|LR|BT|RL|<|>|\^|v))?[ \t]*(?:;|$)/;
const directions: Readonly<Record<string, string>> = { "<": "RL", ">": "LR", "^": "BT", v: "TB" };

const idForm = /[\p{L}\p{N}_](?:[\p{L}\p{N}_.]|-(?![-.>]))*/uy;
const textForm = /"([^"]*)"|([^[\](){}|"<>\\/-][^[\](){}|"]*)/y;
const classForm = /:::(\w[\w-]*)/y;
const blanks = /[ \t]*/y;
const arrowForm = /(?<both><)?(?:--+(?<solid>[->])|-\.+-(?<dotted>>)?(?![xo])|==+(?<thick>[=>]))/y;
const textArrowForm = new RegExp(
  "(?<both><)?(?:" +
    "--(?![xo])[ \\t]*(?<solidText>(?:[^-|]|-(?!-))+?)[ \\t]*--+(?<solid>[->])|" +
    "-\\.[ \\t]*(?<dottedText>(?:[^.|]|\\.(?![.-]))+?)[ \\t]*\\.+-(?<dotted>>)?|" +
    "==(?![xo])[ \\t]*(?<thickText>(?:[^=|]|=(?!=))+?)[ \\t]*==+(?<thick>[=>]))",
  "y",
);
const arrowTextForm = /\|([^|]*)\|/y;

const statementWords =
  "end graph flowchart subgraph style click class classDef linkStyle default href call";
const reservedWords = new Set(
  `${statementWords} direction accTitle accDescr interpolate`.split(" "),
);

/** Matches properties with colors that can be adapted to both schemes. */
const adaptableProperty =
  /^(?:(?:fill|stroke|color)\s*:\s*(?:#[\da-f]{3}|#[\da-f]{6}|none)|(?!fill:|stroke:|color:)[\w-]+\s*:[^;]+)$/i;
const styleForm = /^(style\s+([\w.,-]+)\s+(.+))$/;
const classDefForm = /^classDef\s+(\w[\w,-]*)\s+(.+)$/;
const classAssignmentForm = /^class\s+([\w.,-]+)\s+(\w[\w-]*)$/;
const linkStyleForm = /^(linkStyle\s+(?:default|\d+(?:\s*,\s*\d+)*)\s+(.+))$/;
const directionForm = /^(direction\s+(?:TD|TB|LR|BT|RL))$/;
const titledForm = /^([\p{L}\p{N}_.-]+)\s*\[(.+)\]$/u;
const titleForm = /^(?:"([^"]+)"|([\p{L}\p{N}_][\p{L}\p{N}_ .,:/'-]*))$/u;

/**
 * Reads a flowchart if the library draws all of its statements as Mermaid does. Rewrites it for the library with each
 * label at the first occurrence of its node, because the library ignores later labels. Returns undefined for any other
 * diagram.
 */
export function readFlowchart(lines: readonly string[]): KnownDiagram | undefined {
  const [first = "", ...others] = lines;
  const start = header.exec(first);
  if (start === null) return undefined;
  const direction = start[1] ?? "TD";
  const rest = first.slice(start[0].length);
  const reader = new FlowchartReader();
  for (const line of [rest, ...others]) if (!reader.readLine(line.trim())) return undefined;
  return reader.write(`flowchart ${directions[direction] ?? direction}`);
}

class FlowchartReader {
  readonly #nodes = new Map<string, KnownNode>();
  readonly #subgraphs = new Map<string, Subgraph>();
  readonly #statements: Statement[] = [];
  readonly #labels: string[] = [];
  #current: Subgraph | undefined;
  #line = "";
  #at = 0;
  readonly #rules: readonly StatementRule[] = [
    [/^end$/, () => this.#endSubgraph()],
    [/^subgraph\s+(.+)$/, (title = "") => this.#startSubgraph(title)],
    [directionForm, (statement = "") => this.#current !== undefined && this.#add(statement)],
    [classDefForm, (names = "", list = "") => this.#defineClasses(names.split(","), list)],
    [
      classAssignmentForm,
      (ids = "", name = "") => ids.split(",").every((id) => this.#assignClass(id, name)),
    ],
    // The library cannot apply styles to nodes whose names it does not accept.
    [
      styleForm,
      (statement = "", ids = "", list = "") =>
        /^[\w,]+$/.test(ids) && hasProperties(list) && this.#add(statement),
    ],
    [linkStyleForm, (statement = "", list = "") => hasProperties(list) && this.#add(statement)],
  ];

  /** Reads a line. Returns whether all of its statements are supported. */
  readLine(line: string): boolean {
    if (/^(?:style|classDef|class|linkStyle|direction|subgraph|end)\b/.test(line)) {
      return readStatement(line.replace(/[\s;]+$/, ""), this.#rules);
    }
    this.#line = line;
    this.#at = 0;
    while (this.#at < line.length) {
      if (!this.#readChain()) return false;
      if (this.#at < line.length && !this.#take(/[ \t;]+/y)) return false;
    }
    return true;
  }

  write(start: string): KnownDiagram | undefined {
    const subgraphs = [...this.#subgraphs.values()];
    if (this.#current !== undefined || this.#nodes.size === 0) return undefined;
    // If an edge ends at a group, the library draws an additional node.
    if (subgraphs.some(({ id, isEmpty }) => isEmpty || this.#nodes.has(id))) return undefined;
    const writtenGroups = new Map<KnownNode, Subgraph | undefined>();
    const lines = this.#statements.map((statement) => {
      if (typeof statement === "string") return statement;
      return statement.groups
        .map((group, at) => {
          const nodes = group
            .map((mention) => this.#writeMention(mention, writtenGroups))
            .join(" & ");
          return at === 0 ? nodes : `${statement.arrows[at - 1]} ${nodes}`;
        })
        .join(" ");
    });
    const names = Array.from(this.#nodes.values(), ({ label }) => label);
    return { lines: [start, ...lines], labels: [...names, ...this.#labels] };
  }

  /**
   * Writes an occurrence of a node. Adds the label to the first occurrence, and to the first occurrence in the node's
   * group.
   */
  #writeMention(
    { id, scope }: Mention,
    writtenGroups: Map<KnownNode, Subgraph | undefined>,
  ): string {
    const node = this.#nodes.get(id);
    if (node === undefined) return "";
    const { name, shape: form, label, className, home } = node;
    const isFirst = !writtenGroups.has(node);
    const isPlaced = scope !== home || writtenGroups.get(node) === home;
    if (!isFirst && isPlaced) return name;
    writtenGroups.set(node, scope === home ? home : undefined);
    const suffix = className === undefined ? "" : `:::${className}`;
    if (isFirst && form === plainShape && label === name) return name + suffix;
    return `${name}${form.open}"${protectLabel(label, form.closing)}"${form.close}${suffix}`;
  }

  #add(statement: string): boolean {
    this.#statements.push(statement);
    return true;
  }

  #defineClasses(names: readonly string[], list: string): boolean {
    // The library does not support the default class of all nodes.
    if (names.includes("default") || !hasProperties(list)) return false;
    for (const name of names) this.#add(`classDef ${nameClass(name)} ${list}`);
    return true;
  }

  #assignClass(id: string, name: string): boolean {
    const node = this.#nodes.get(id);
    return node !== undefined && setClass(node, name);
  }

  #startSubgraph(title: string): boolean {
    const [, subgraphId = "", inner = ""] = titledForm.exec(title) ?? [];
    const [, quoted, words] = titleForm.exec(title) ?? [];
    const text = subgraphId === "" ? (quoted ?? words) : inner.replace(/^"([^"]*)"$/, "$1");
    const label = text === undefined || /["[\]]/.test(text) ? undefined : readLabel(text);
    const id = subgraphId === "" ? title : subgraphId;
    if (label === undefined || this.#subgraphs.has(id) || reservedWords.has(id)) return false;
    if (this.#current !== undefined) this.#current.isEmpty = false;
    this.#current = { id, parent: this.#current, isOpen: true, isEmpty: true };
    this.#subgraphs.set(id, this.#current);
    this.#labels.push(label);
    return this.#add(`subgraph group_${this.#subgraphs.size} ["${label === "" ? " " : label}"]`);
  }

  #endSubgraph(): boolean {
    if (this.#current === undefined) return false;
    this.#current.isOpen = false;
    this.#current = this.#current.parent;
    return this.#add("end");
  }

  #readChain(): boolean {
    const groups: Mention[][] = [];
    const arrows: string[] = [];
    for (;;) {
      const group = this.#readGroup();
      if (group === undefined) return false;
      groups.push(group);
      this.#take(blanks);
      if (this.#at >= this.#line.length || this.#line[this.#at] === ";") break;
      const arrow = this.#readArrow();
      if (arrow === undefined) return false;
      arrows.push(arrow);
      this.#take(blanks);
    }
    this.#statements.push({ groups, arrows });
    return true;
  }

  #readGroup(): Mention[] | undefined {
    const group: Mention[] = [];
    do {
      const mention = this.#readMention();
      if (mention === undefined || !this.#recordNode(mention)) return undefined;
      group.push(mention);
    } while (this.#take(/[ \t]+&[ \t]+/y) !== undefined);
    return group;
  }

  #readMention(): Mention | undefined {
    const id = this.#take(idForm)?.[0];
    if (id === undefined || reservedWords.has(id)) return undefined;
    const form = shapes.find(({ open }) => this.#line.startsWith(open, this.#at));
    const scope = this.#current;
    if (form === undefined) return { id, scope, ...this.#readClass() };
    this.#at += form.open.length;
    const text = this.#take(textForm);
    const label = readLabel((text?.[1] ?? text?.[2] ?? "").trim());
    if (label === undefined || label === "" || !this.#line.startsWith(form.close, this.#at)) {
      return undefined;
    }
    this.#at += form.close.length;
    return { id, scope, shape: form, label, ...this.#readClass() };
  }

  #readClass(): Pick<Mention, "className"> {
    const className = this.#take(classForm)?.[1];
    return className === undefined ? {} : { className };
  }

  /** Records a node. Returns whether the library would put it into the same group as Mermaid. */
  #recordNode({ id, shape: form, label, className }: Mention): boolean {
    let node = this.#nodes.get(id);
    if (node === undefined) {
      const name = /^\w+$/.test(id) ? id : `node_${this.#nodes.size}_`;
      node = { name, home: this.#current, shape: plainShape, label: id, className: undefined };
      this.#nodes.set(id, node);
      if (this.#current !== undefined) this.#current.isEmpty = false;
    } else if (this.#current !== undefined && node.home !== this.#current) {
      if (node.home?.isOpen) return false;
      node.home ??= this.#current;
      this.#current.isEmpty = false;
    }
    if (form !== undefined) node.shape = form;
    if (label !== undefined) node.label = label;
    return className === undefined || setClass(node, className);
  }

  #readArrow(): string | undefined {
    const arrow = this.#take(arrowForm)?.groups;
    if (arrow !== undefined) {
      this.#take(blanks);
      return this.#writeArrow(arrow, this.#take(arrowTextForm)?.[1]);
    }
    const { solidText, dottedText, thickText, ...line } = this.#take(textArrowForm)?.groups ?? {};
    const text = solidText ?? dottedText ?? thickText;
    return text === undefined ? undefined : this.#writeArrow(line, text);
  }

  #writeArrow(parts: Readonly<Record<string, string | undefined>>, text = ""): string | undefined {
    const line = writeLine(parts);
    const isQuoted = /^\s*"[^"]*"\s*$/.test(text);
    const label = readLabel(isQuoted ? text.trim().slice(1, -1) : text);
    const isBoth = parts["both"] !== undefined;
    // Mermaid does not draw an arrowhead at the start of a line that has no arrowhead at its end.
    if (
      label === undefined ||
      (!isQuoted && text.includes('"')) ||
      (isBoth && !line.endsWith(">"))
    ) {
      return undefined;
    }
    const start = isBoth ? `<${line}` : line;
    if (label === "") return start;
    this.#labels.push(label);
    return `${start}|${protectLabel(label, /\|/g)}|`;
  }

  #take(form: RegExp): RegExpExecArray | undefined {
    form.lastIndex = this.#at;
    const match = form.exec(this.#line);
    if (match === null) return undefined;
    this.#at = form.lastIndex;
    return match;
  }
}

function writeLine({ solid, thick, dotted }: Readonly<Record<string, string | undefined>>): string {
  if (solid !== undefined) return solid === ">" ? "-->" : "---";
  if (thick !== undefined) return thick === ">" ? "==>" : "===";
  return dotted === undefined ? "-.-" : "-.->";
}

function setClass(node: KnownNode, className: string): boolean {
  const name = nameClass(className);
  // Mermaid merges the styles of several classes, but the library does not.
  if (node.className !== undefined && node.className !== name) return false;
  node.className = name;
  return true;
}

function nameClass(name: string): string {
  return name.replaceAll("-", "_");
}

function hasProperties(list: string): boolean {
  const parts = list.split(/,(?![^(]*\))/);
  return list !== "" && parts.every((part) => adaptableProperty.test(part.trim()));
}
