import {
  protectWord,
  readLabel,
  readStatement,
  type KnownDiagram,
  type StatementRule,
} from "./known-diagram.ts";

interface Entity {
  readonly word: string;
  readonly attributes: string[];
}

const id = '(?:[\\p{L}_][\\p{L}\\p{N}_-]*|"[^"\\\\]+")';
const entityForm = new RegExp(
  `^(${id})(?:\\s*\\[([\\p{L}_][\\p{L}\\p{N}_-]*|"[^"]+")\\])?\\s*(\\{)?$`,
  "u",
);
const relationForm = new RegExp(
  `^(${id})\\s*(\\|\\||\\|o|\\}o|\\}\\|)(--|\\.\\.)(\\|\\||o\\||o\\{|\\|\\{)\\s*(${id})` +
    `\\s*:\\s*([\\p{L}_][\\p{L}\\p{N}_-]*|"[^"]*")$`,
  "u",
);
const attributeForm =
  /^([\p{L}_][\p{L}\p{N}_[\]()-]*)\s+(\*?[\p{L}_][\p{L}\p{N}_[\]()-]*)(?:\s+((?:PK|FK|UK)(?:\s*,\s*(?:PK|FK|UK))*))?$/u;

/** The ends of lines that the library does not accept, with the equivalent ends that it accepts. */
const leftEnds: Readonly<Record<string, string>> = { "}o": "{o" };

/**
 * Reads an entity-relationship diagram if the library draws all of its statements as Mermaid does. Returns undefined
 * for any other diagram, such as one with comments on attributes, directions or styles.
 */
export function readEntityDiagram(lines: readonly string[]): KnownDiagram | undefined {
  const [, ...others] = lines;
  const reader = new EntityReader();
  for (const line of others) if (!reader.readLine(line)) return undefined;
  return reader.write();
}

class EntityReader {
  readonly #entities = new Map<string, Entity>();
  readonly #labels: string[] = [];
  readonly #relations: string[] = [];
  #openEntity: Entity | undefined;
  readonly #rules: readonly StatementRule[] = [
    [relationForm, (...parts) => this.#addRelation(parts)],
    [
      entityForm,
      (name = "", alias = "", brace = "") => {
        const entity = this.#findOrAddEntity(name, alias);
        if (brace !== "") this.#openEntity = entity;
        return entity !== undefined;
      },
    ],
  ];

  readLine(line: string): boolean {
    if (this.#openEntity !== undefined) return this.#readBody(line, this.#openEntity);
    return readStatement(line, this.#rules);
  }

  write(): KnownDiagram | undefined {
    const entities = [...this.#entities.values()];
    if (this.#openEntity !== undefined || entities.length === 0) return undefined;
    if (new Set(entities.map(({ word }) => word)).size < entities.length) return undefined;
    const lines = entities.flatMap(({ word, attributes }) => [`${word} {`, ...attributes, "}"]);
    return { lines: ["erDiagram", ...lines, ...this.#relations], labels: this.#labels };
  }

  #findOrAddEntity(source: string, alias = ""): Entity | undefined {
    const name = unquote(source);
    const existing = this.#entities.get(name);
    if (existing !== undefined) return alias === "" ? existing : undefined;
    const label = readLabel(unquote(alias || name));
    if (!label || label.includes("<") || /^(?:title|direction|style|class|classDef)$/.test(name)) {
      return undefined;
    }
    const entity: Entity = { word: protectWord(label), attributes: [] };
    this.#entities.set(name, entity);
    this.#labels.push(label);
    return entity;
  }

  #readBody(line: string, entity: Entity): boolean {
    if (line === "}") {
      this.#openEntity = undefined;
      return true;
    }
    const [isAttribute, type = "", name = "", keys = ""] = attributeForm.exec(line) ?? [];
    if (isAttribute === undefined) return false;
    const list = keys === "" ? [] : keys.split(/\s*,\s*/);
    entity.attributes.push(`${protectWord(type)} ${protectWord(name)} ${list.join(" ")}`.trim());
    this.#labels.push(type, name, ...list);
    return true;
  }

  #addRelation(parts: readonly string[]): boolean {
    const [from = "", left = "", line = "", right = "", to = "", text = ""] = parts;
    const start = this.#findOrAddEntity(from);
    const end = this.#findOrAddEntity(to);
    const label = readLabel(unquote(text));
    if (start === undefined || end === undefined || !label) return false;
    this.#labels.push(label);
    this.#relations.push(
      `${start.word} ${leftEnds[left] ?? left}${line}${right} ${end.word} : ${label}`,
    );
    return true;
  }
}

function unquote(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}
