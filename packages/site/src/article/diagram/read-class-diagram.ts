import {
  protectWord,
  readLabel,
  readStatement,
  type KnownDiagram,
  type StatementRule,
} from "./known-diagram.ts";

interface ClassBox {
  readonly word: string;
  readonly members: string[];
  annotation: string | undefined;
}

const id = "[\\p{L}_][\\p{L}\\p{N}_.-]*";
const generic = "(?:~([^~\\s]+)~)?";
const classForm = new RegExp(`^class\\s+(${id})${generic}(?:\\s*\\["([^"]+)"\\])?\\s*(\\{)?$`, "u");
const annotatedForm = new RegExp(`^class\\s+(${id})\\s*\\{\\s*<<(\\w+)>>\\s*\\}$`, "u");
const annotationForm = new RegExp(`^<<(\\w+)>>(?:\\s+(${id}))?$`, "u");
const memberForm = new RegExp(`^(${id})\\s*:\\s*(.+)$`, "u");
const relationForm = new RegExp(
  `^(${id})${generic}\\s*(?:"([^"]*)"\\s*)?` +
    `(<\\|--|<\\|\\.\\.|\\*--|o--|--\\|>|\\.\\.\\|>|-->|<--|\\.\\.>|--\\*|--o)` +
    `\\s*(?:"([^"]*)"\\s*)?(${id})${generic}(?:\\s*:\\s*(.+))?$`,
  "u",
);
const methodForm =
  /^([+#~-]?)\s*([\w$<>,\u00c0-\uffff]+)\(([^()]*)\)(?:\s*:?\s*([^$*()\s][^$*()]*))?$/u;
const attributeForm = /^([+#~-]?)\s*([^\s:$*]+)\s+([^\s:$*]+)$/u;

const anyMemberForm = /^([+#~-]?)\s*(.+)$/;

/**
 * Reads a class diagram if the library draws all of its statements as Mermaid does. Returns undefined for any other
 * diagram, such as one with notes, namespaces, styles, or lines without heads.
 */
export function readClassDiagram(lines: readonly string[]): KnownDiagram | undefined {
  const [, ...others] = lines;
  const reader = new ClassReader();
  for (const line of others) if (!reader.readLine(line.replace(/;+$/, "").trim())) return undefined;
  return reader.write();
}

class ClassReader {
  readonly #boxes = new Map<string, ClassBox>();
  readonly #labels: string[] = [];
  readonly #relations: string[] = [];
  #openBox: ClassBox | undefined;
  readonly #rules: readonly StatementRule[] = [
    [/^direction\s+T[BD]$/, () => true],
    [
      classForm,
      (...[name = "", type = "", label = "", brace = ""]) => {
        const box = this.#findOrAddBox(name, type, label);
        if (brace !== "") this.#openBox = box;
        return box !== undefined;
      },
    ],
    [
      annotatedForm,
      (name = "", annotation = "") => this.#annotate(this.#findOrAddBox(name), annotation),
    ],
    [
      annotationForm,
      (annotation = "", name = "") =>
        name !== "" && this.#annotate(this.#findOrAddBox(name), annotation),
    ],
    [relationForm, (...parts) => this.#addRelation(parts)],
    [memberForm, (owner = "", member = "") => this.#addMember(this.#findOrAddBox(owner), member)],
  ];

  readLine(line: string): boolean {
    if (this.#openBox !== undefined) return this.#readBody(line, this.#openBox);
    return readStatement(line, this.#rules);
  }

  write(): KnownDiagram | undefined {
    const boxes = [...this.#boxes.values()];
    if (this.#openBox !== undefined || boxes.length === 0) return undefined;
    if (new Set(boxes.map(({ word }) => word)).size < boxes.length) return undefined;
    const lines = boxes.flatMap(({ word, members, annotation }) => {
      const body = annotation === undefined ? members : [`<<${annotation}>>`, ...members];
      return body.length === 0 ? [`class ${word}`] : [`class ${word} {`, ...body, "}"];
    });
    return { lines: ["classDiagram", ...lines, ...this.#relations], labels: this.#labels };
  }

  #readBody(line: string, box: ClassBox): boolean {
    if (line === "}") {
      this.#openBox = undefined;
      return true;
    }
    const [isAnnotation, annotation = "", target] = annotationForm.exec(line) ?? [];
    if (isAnnotation !== undefined) return target === undefined && this.#annotate(box, annotation);
    return this.#addMember(box, line);
  }

  /** Returns the box of a class, or undefined if a later statement renames it. */
  #findOrAddBox(name: string, type = "", label = ""): ClassBox | undefined {
    const existing = this.#boxes.get(name);
    if (existing !== undefined) return type + label === "" ? existing : undefined;
    const boxLabel = readLabel(label || (type === "" ? name : `${name}&lt;${type}&gt;`));
    if (
      !boxLabel ||
      boxLabel.includes("<") ||
      /^(?:class|namespace|note|style|click|link)$/.test(name)
    ) {
      return undefined;
    }
    const box: ClassBox = { word: protectWord(boxLabel), members: [], annotation: undefined };
    this.#boxes.set(name, box);
    this.#labels.push(boxLabel);
    return box;
  }

  #annotate(box: ClassBox | undefined, annotation: string): boolean {
    if (box === undefined || box.annotation !== undefined) return false;
    box.annotation = annotation;
    this.#labels.push(annotation);
    return true;
  }

  #addMember(box: ClassBox | undefined, source: string): boolean {
    const member = writeMember(source);
    if (box === undefined || member === undefined) return false;
    box.members.push(member.text);
    this.#labels.push(...member.labels);
    return true;
  }

  #addRelation(parts: readonly string[]): boolean {
    const [from = "", fromType, fromCount = "", arrow, toCount = "", to = "", toType, text = ""] =
      parts;
    // The type after a class name may be repeated each time the class is mentioned, so it is read only once.
    const start = this.#boxes.get(from) ?? this.#findOrAddBox(from, fromType);
    const end = this.#boxes.get(to) ?? this.#findOrAddBox(to, toType);
    const labels = [text, fromCount, toCount].map((part) => readLabel(part));
    if (start === undefined || end === undefined || labels.includes(undefined)) return false;
    this.#labels.push(...labels.filter((label) => label !== undefined));
    const [label, before, after] = labels;
    const line = [start.word, quote(before), arrow, quote(after), end.word, label && `: ${label}`];
    this.#relations.push(line.filter(Boolean).join(" "));
    return true;
  }
}

function quote(text: string | undefined): string {
  return text ? `"${text}"` : "";
}

/** Formats a member so that the library splits it as the author intended. Returns undefined for unsupported forms. */
function writeMember(source: string): { text: string; labels: readonly string[] } | undefined {
  // `List~int~` means `List<int>`. Nested types are not supported, because they would require a parser.
  const typed = source.replaceAll(/~([^~\s]+)~/g, "<$1>");
  if (/[~{}"#&]/.test(typed.slice(1))) return undefined;
  const method = methodForm.exec(typed)?.map((part) => (part ?? "").trim());
  if (method !== undefined) {
    const [, access = "", ...parts] = method;
    const [name, parameters, result] = parts.map((part) => protectWord(part));
    return { text: `${access}${name}(${parameters}) ${result}`.trim(), labels: parts };
  }
  if (/[()$*\\]/.test(typed)) return undefined;
  const [, sign = "", ...parts] = attributeForm.exec(typed) ?? anyMemberForm.exec(typed) ?? [];
  return { text: sign + parts.map((part) => protectWord(part)).join(" "), labels: parts };
}
