import {
  joinAttributes,
  escapeHtml,
  fillPlaceholders,
  fillHtmlPlaceholders,
  html,
  joinHtml,
  wrapInElement,
  type Html,
} from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderApiDescription } from "../description.ts";
import { createNotes, formatLimit, type Notes } from "../notes.ts";
import { createFieldIdPart } from "../schema/shape.ts";
import type { Field, Shape, ShapeChoice } from "../schema/shape.ts";
import {
  renderCode,
  joinWithSpaces,
  renderFieldLabel,
  renderLabeledNote,
  renderNote,
  renderTabSet,
} from "./markup.ts";

/** The details of a field that are shown besides its schema. */
interface FieldMarks {
  /** The location in which it is sent: `header`, `query`. */
  readonly location?: string;
  /** The prefix of a second id that older pages may link to: `param`. */
  readonly alias?: string | undefined;
  readonly isTop?: boolean;
  /** For a root: whether its type is shown. By default, it is shown if it is informative. */
  readonly hasType?: boolean;
}

/** Renders parameters, properties and headers in the markup of `ParamField`, with their nested fields. */
export class FieldWriter {
  readonly #context: ApiContext;

  constructor(context: ApiContext) {
    this.#context = context;
  }

  /** Renders the schema of a whole body: its type, unless it is a plain object, and its fields. */
  root(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const notes = createNotes(shape, words);
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
    const notes = createNotes(field.shape, this.#context.words);
    // The field's own id is assigned before those of its fields.
    const head = this.#head(field, notes, marks);
    const content = joinHtml([
      this.#text(field.description),
      this.#notes(notes),
      this.#nested(field.shape),
    ]);
    return html`<div${joinAttributes({ class: className })}>${head}${wrapInElement("div", "field-content", content)}</div>`;
  }

  #head(field: Field, notes: Notes, { location, alias, isTop }: FieldMarks): Html {
    const { page, words } = this.#context;
    const { schema } = field.shape;
    const id = page.ids.claim(field.anchor);
    const name = this.#name(field);
    const also =
      alias === undefined
        ? ""
        : html`<span id="${escapeHtml(page.ids.claim(`${alias}-${createFieldIdPart(field.name)}`))}"></span>`;
    const parts: Html[] = [
      ...pills(schema.pre),
      isTop === true
        ? html`<a class="field-name" href="#${escapeHtml(id)}">${name}</a>`
        : html`<span class="field-name">${name}</span>`,
      this.#types(field.shape),
      location === undefined ? "" : renderFieldLabel("field-location", location),
      field.isRequired ? renderFieldLabel("field-required", words.required) : "",
      field.isDeprecated ? renderFieldLabel("field-deprecated", words.deprecated) : "",
      schema.readOnly === true ? renderFieldLabel("", words.readOnly) : "",
      schema.writeOnly === true ? renderFieldLabel("", words.writeOnly) : "",
      ...pills(schema.post),
      this.#default(notes),
    ];
    const start = joinAttributes({ class: "field-head", id });
    return html`<div${start}>${also}${joinWithSpaces(parts)}</div>`;
  }

  #name({ name, kind }: Field): Html {
    if (kind === "index") return html`<code>[${escapeHtml(name)}]</code>`;
    if (kind === "anyName") return html`<em>${escapeHtml(this.#context.words.anyName)}</em>`;
    return html`<code>${escapeHtml(kind === "pattern" ? `/${name}/` : name)}</code>`;
  }

  #types({ type, name }: Shape): Html {
    return joinWithSpaces([
      renderFieldLabel("field-type", type),
      name === undefined ? "" : renderFieldLabel("field-schema", name),
    ]);
  }

  #default(notes: Notes): Html {
    if (notes.default === undefined || notes.default === "") return "";
    const word = escapeHtml(this.#context.words.default);
    return html` <span class="field-default">${word}: ${renderCode(notes.default)}</span>`;
  }

  #text(text: string | undefined): Html {
    const { page, place } = this.#context;
    return renderApiDescription(text, { place }, page);
  }

  #notes(notes: Notes): Html {
    const { words } = this.#context;
    const more =
      notes.moreValues === 0
        ? ""
        : ` ${fillPlaceholders(words.more, { count: String(notes.moreValues) })}`;
    const values = joinWithSpaces(notes.values.map((value) => renderCode(value)));
    const limits = [
      ...notes.limits.map((limit) =>
        formatLimit(limit, { code: renderCode, fill: fillHtmlPlaceholders }),
      ),
      ...notes.patterns.map((pattern) =>
        fillHtmlPlaceholders(words.matches, { pattern: renderCode(pattern) }),
      ),
    ];
    return joinHtml([
      notes.constant === undefined
        ? ""
        : renderLabeledNote(words.constant, renderCode(notes.constant)),
      values === "" ? "" : renderLabeledNote(words.options, html`${values}${escapeHtml(more)}`),
      limits.length === 0 ? "" : renderNote(joinHtml(limits, html`, `)),
      notes.example === undefined
        ? ""
        : renderLabeledNote(words.example, renderCode(notes.example)),
      notes.isFreeForm ? renderNote(escapeHtml(words.anyFields)) : "",
    ]);
  }

  /** Renders the fields of a field, initially collapsed. */
  #nested(shape: Shape): Html {
    const inside = this.#inside(shape);
    if (inside === "" || shape.fields.length + shape.choices.length === 0) return inside;
    const { words, settings } = this.#context;
    const start = joinAttributes({ class: "fold expandable", open: settings.isExpanded });
    const title = html`<span class="fold-title">${escapeHtml(words.childFields)}</span>`;
    const summary = html`<summary><span class="fold-text">${title}</span></summary>`;
    return html`<details${start}>${summary}<div class="fold-content">${inside}</div></details>`;
  }

  #inside(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const { repeats, moreFields } = shape;
    if (repeats !== undefined) {
      return renderNote(fillHtmlPlaceholders(words.repeats, { parent: renderCode(repeats) }));
    }
    if (shape.isCut) return renderNote(escapeHtml(words.notShown));
    return joinHtml([
      ...shape.fields.map((field) => this.field(field, marks)),
      moreFields === 0 ? "" : this.#more(moreFields),
      ...shape.choices.map((choice) => this.#choice(choice)),
    ]);
  }

  #more(count: number): Html {
    const text = fillPlaceholders(this.#context.words.more, { count: String(count) });
    return renderNote(escapeHtml(text));
  }

  #choice({ kind, options, moreOptions }: ShapeChoice): Html {
    const { words, page } = this.#context;
    const panels = options.map(({ title, anchor, mark, shape }) => {
      const when =
        mark === undefined
          ? ""
          : renderNote(
              fillHtmlPlaceholders(words.when, {
                property: renderCode(mark.property),
                value: renderCode(mark.value),
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
    return html`<div class="api-choice"><p class="api-choice-kind">${how}</p>${renderTabSet(panels)}${more}</div>`;
  }
}

/** The most pills of one field. Readers do not look for more. */
const maxPills = 10;

function pills(words: readonly string[] | undefined): Html[] {
  return (words ?? []).slice(0, maxPills).map((word) => renderFieldLabel("", word));
}
