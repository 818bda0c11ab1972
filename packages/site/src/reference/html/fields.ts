import {
  attributes,
  escapeHtml,
  fill,
  fillHtml,
  html,
  joinHtml,
  wrap,
  type Html,
} from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderDescription } from "../description.ts";
import { notesOf, writeLimit, type Notes } from "../notes.ts";
import { fieldIdPart } from "../schema/shape.ts";
import type { Field, Shape, ShapeChoice } from "../schema/shape.ts";
import { codeElement, joinSpaced, label, labelledNote, note, tabSet } from "./markup.ts";

/** What is shown of a field besides its schema. */
interface FieldMarks {
  /** Where it is sent: `header`, `query`. */
  readonly location?: string;
  /** Prefix of a second id, to which older pages may link: `param`. */
  readonly alias?: string | undefined;
  readonly isTop?: boolean;
  /** For a root: whether its type is shown; by default if that is informative. */
  readonly hasType?: boolean;
}

/** Writes parameters, properties and headers in the markup of `ParamField`, with their own fields. */
export class FieldWriter {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** The schema of a whole body: its type unless it is a plain object, and its fields. */
  root(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const notes = notesOf(shape, words);
    const isNamed = shape.type !== "object" || shape.name !== undefined;
    const type =
      (marks.hasType ?? isNamed)
        ? html`<p class="api-type">${this.#types(shape)}${this.#default(notes)}</p>`
        : "";
    return joinHtml([
      type,
      this.#text(shape.schema.description),
      this.#notes(notes),
      this.#inside(shape, marks),
    ]);
  }

  field(field: Field, marks: FieldMarks = {}): Html {
    const className = field.isDeprecated ? "field field-is-deprecated" : "field";
    const notes = notesOf(field.shape, this.#context.words);
    // The field's own id is assigned before those of its fields.
    const head = this.#head(field, notes, marks);
    const content = joinHtml([
      this.#text(field.description),
      this.#notes(notes),
      this.#nested(field.shape),
    ]);
    return html`<div${attributes({ class: className })}>${head}${wrap("div", "field-content", content)}</div>`;
  }

  #head(field: Field, notes: Notes, { location, alias, isTop }: FieldMarks): Html {
    const { page, words } = this.#context;
    const { schema } = field.shape;
    const id = page.ids.claim(field.anchor);
    const name = this.#name(field);
    const also =
      alias === undefined
        ? ""
        : html`<span id="${escapeHtml(page.ids.claim(`${alias}-${fieldIdPart(field.name)}`))}"></span>`;
    const parts: Html[] = [
      ...pills(schema.pre),
      isTop === true
        ? html`<a class="field-name" href="#${escapeHtml(id)}">${name}</a>`
        : html`<span class="field-name">${name}</span>`,
      this.#types(field.shape),
      location === undefined ? "" : label("field-location", location),
      field.isRequired ? label("field-required", words.required) : "",
      field.isDeprecated ? label("field-deprecated", words.deprecated) : "",
      schema.readOnly === true ? label("", words.readOnly) : "",
      schema.writeOnly === true ? label("", words.writeOnly) : "",
      ...pills(schema.post),
      this.#default(notes),
    ];
    const start = attributes({ class: "field-head", id });
    return html`<div${start}>${also}${joinSpaced(parts)}</div>`;
  }

  #name({ name, kind }: Field): Html {
    if (kind === "index") return html`<code>[${escapeHtml(name)}]</code>`;
    if (kind === "anyName") return html`<em>${escapeHtml(this.#context.words.anyName)}</em>`;
    return html`<code>${escapeHtml(kind === "pattern" ? `/${name}/` : name)}</code>`;
  }

  #types({ type, name }: Shape): Html {
    return joinSpaced([
      label("field-type", type),
      name === undefined ? "" : label("field-schema", name),
    ]);
  }

  #default(notes: Notes): Html {
    if (notes.default === undefined || notes.default === "") return "";
    const word = escapeHtml(this.#context.words.default);
    return html` <span class="field-default">${word}: ${codeElement(notes.default)}</span>`;
  }

  #text(text: string | undefined): Html {
    const { page, place } = this.#context;
    return renderDescription(text, { place }, page);
  }

  #notes(notes: Notes): Html {
    const { words } = this.#context;
    const more =
      notes.moreValues === 0 ? "" : ` ${fill(words.more, { count: String(notes.moreValues) })}`;
    const values = joinSpaced(notes.values.map((value) => codeElement(value)));
    const limits = [
      ...notes.limits.map((limit) => writeLimit(limit, { code: codeElement, fill: fillHtml })),
      ...notes.patterns.map((pattern) =>
        fillHtml(words.matches, { pattern: codeElement(pattern) }),
      ),
    ];
    return joinHtml([
      notes.constant === undefined ? "" : labelledNote(words.constant, codeElement(notes.constant)),
      values === "" ? "" : labelledNote(words.options, html`${values}${escapeHtml(more)}`),
      limits.length === 0 ? "" : note(joinHtml(limits, html`, `)),
      notes.example === undefined ? "" : labelledNote(words.example, codeElement(notes.example)),
      notes.isFreeForm ? note(escapeHtml(words.anyFields)) : "",
    ]);
  }

  /** The fields of a field, collapsed at first. */
  #nested(shape: Shape): Html {
    const inside = this.#inside(shape);
    if (inside === "" || shape.fields.length + shape.choices.length === 0) return inside;
    const { words, settings } = this.#context;
    const start = attributes({ class: "fold expandable", open: settings.isExpanded });
    const title = html`<span class="fold-title">${escapeHtml(words.childFields)}</span>`;
    const summary = html`<summary><span class="fold-text">${title}</span></summary>`;
    return html`<details${start}>${summary}<div class="fold-content">${inside}</div></details>`;
  }

  #inside(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const { repeats, moreFields } = shape;
    if (repeats !== undefined) {
      return note(fillHtml(words.repeats, { parent: codeElement(repeats) }));
    }
    if (shape.isCut) return note(escapeHtml(words.notShown));
    return joinHtml([
      ...shape.fields.map((field) => this.field(field, marks)),
      moreFields === 0 ? "" : this.#more(moreFields),
      ...shape.choices.map((choice) => this.#choice(choice)),
    ]);
  }

  #more(count: number): Html {
    const text = fill(this.#context.words.more, { count: String(count) });
    return note(escapeHtml(text));
  }

  #choice({ kind, options, moreOptions }: ShapeChoice): Html {
    const { words, page } = this.#context;
    const panels = options.map(({ title, anchor, mark, shape }) => {
      const when =
        mark === undefined
          ? ""
          : note(
              fillHtml(words.when, {
                property: codeElement(mark.property),
                value: codeElement(mark.value),
              }),
            );
      return {
        id: page.ids.claim(anchor),
        title,
        html: html`${when}${this.root(shape, { hasType: shape.type !== "object" })}`,
      };
    });
    const more = moreOptions === 0 ? "" : this.#more(moreOptions);
    const how = escapeHtml(kind === "oneOf" ? words.oneOf : words.anyOf);
    return html`<div class="api-choice"><p class="api-choice-kind">${how}</p>${tabSet(panels)}${more}</div>`;
  }
}

/** Pills of one field; readers do not look for more. */
const maxPills = 10;

function pills(words: readonly string[] | undefined): Html[] {
  return (words ?? []).slice(0, maxPills).map((word) => label("", word));
}
