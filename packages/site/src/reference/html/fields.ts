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
import { createFieldIdPart, listStates, listTitles } from "../schema/shape.ts";
import type { DeferredPart, Field, Shape, ShapeChoice } from "../schema/shape.ts";
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
  /** The location in which the field is sent, such as `header` or `query`. */
  readonly location?: string;
  /** The prefix (`param`) of a second id, to which older pages may link. */
  readonly alias?: string | undefined;
  readonly isTop?: boolean;
  /** For a root, whether its type is shown. By default, the type is shown if it is informative. */
  readonly hasType?: boolean;
  /** For a root, its title, if the title is shown above it. */
  readonly title?: string;
  /** For a root: whether it is the schema of a whole body, whose examples are shown beside the text. */
  readonly isBody?: boolean;
}

/** Renders parameters, properties and headers in the markup of `ParamField`, with their nested fields. */
export class FieldWriter {
  readonly #context: ApiContext;
  /** Whether ids are omitted, because readers can open the same part in several positions on the page. */
  readonly #hasNoIds: boolean;

  constructor(context: ApiContext, { hasNoIds = false }: { hasNoIds?: boolean } = {}) {
    this.#context = context;
    this.#hasNoIds = hasNoIds;
  }

  /** Renders the schema of a whole body: its type, unless the type is a plain object, and its fields. */
  renderRoot(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const notes = createNotes(shape, words, { isBody: marks.isBody ?? true });
    const isNamed = shape.type !== "object" || shape.name !== undefined;
    const line = joinHtml([
      joinWithSpaces([
        (marks.hasType ?? isNamed) ? this.#renderTypes(shape) : "",
        ...this.#renderTitles(shape, marks.title === undefined ? [] : [marks.title]),
        ...this.#renderStates(shape),
      ]),
      this.#renderDefault(notes),
    ]);
    return joinHtml([
      wrapInElement("p", "api-type", line),
      this.#renderTexts(shape.schema.description, shape),
      this.#renderNotes(notes, shape.wholeNotes),
      this.#renderInside(shape, marks),
    ]);
  }

  /** Renders the content of a part that readers load. */
  renderPart({ kind, shape }: DeferredPart): Html {
    if (kind !== "notes") return this.#renderInside(shape);
    const notes = createNotes(shape, this.#context.words, { isWhole: true });
    const text = this.#renderDefault(notes);
    return joinHtml([text === "" ? "" : renderNote(text), this.#renderNotes(notes)]);
  }

  renderField(field: Field, marks: FieldMarks = {}): Html {
    const className = field.isDeprecated ? "field field-is-deprecated" : "field";
    const notes = createNotes(field.shape, this.#context.words);
    // The field's own id must be assigned before the ids of its nested fields.
    const head = this.#renderHead(field, notes, marks);
    const content = joinHtml([
      this.#renderTexts(field.description, field.shape),
      this.#renderNotes(notes, field.shape.wholeNotes),
      this.#renderNested(field.shape),
    ]);
    return html`<div${joinAttributes({ class: className })}>${head}${wrapInElement("div", "field-content", content)}</div>`;
  }

  #renderHead(field: Field, notes: Notes, { location, alias, isTop }: FieldMarks): Html {
    const { page, words } = this.#context;
    const { schema } = field.shape;
    const id = this.#hasNoIds ? undefined : page.ids.claim(field.anchor);
    const name = this.#renderName(field);
    const aliasAnchor =
      alias === undefined
        ? ""
        : html`<span id="${escapeHtml(page.ids.claim(`${alias}-${createFieldIdPart(field.name)}`))}"></span>`;
    const parts: Html[] = [
      ...renderPills(schema.pre),
      isTop === true && id !== undefined
        ? html`<a class="field-name" href="#${escapeHtml(id)}">${name}</a>`
        : html`<span class="field-name">${name}</span>`,
      this.#renderTypes(field.shape),
      ...this.#renderTitles(field.shape, [field.name]),
      location === undefined ? "" : renderFieldLabel("field-location", location),
      field.isRequired ? renderFieldLabel("field-required", words.required) : "",
      ...this.#renderStates(field.shape, field.isDeprecated),
      ...renderPills(schema.post),
      this.#renderDefault(notes),
    ];
    const attributes = joinAttributes({ class: "field-head", id });
    return html`<div${attributes}>${aliasAnchor}${joinWithSpaces(parts)}</div>`;
  }

  #renderName({ name, kind }: Field): Html {
    if (kind === "index") return html`<code>[${escapeHtml(name)}]</code>`;
    if (kind === "anyName") return html`<em>${escapeHtml(this.#context.words.anyName)}</em>`;
    return html`<code>${escapeHtml(kind === "pattern" ? `/${name}/` : name)}</code>`;
  }

  #renderTypes({ type, name }: Shape): Html {
    return joinWithSpaces([
      renderFieldLabel("field-type", type),
      name === undefined ? "" : renderFieldLabel("field-schema", name),
    ]);
  }

  /** Renders the titles of a schema. The schema's own name is shown beside its type. */
  #renderTitles(shape: Shape, names: readonly string[]): Html[] {
    return listTitles(shape, names).map((title) => renderFieldLabel("", title));
  }

  #renderStates(shape: Shape, isDeprecated?: boolean): Html[] {
    return listStates(shape, isDeprecated).map((state) =>
      renderFieldLabel(
        state === "deprecated" ? "field-deprecated" : "",
        this.#context.words[state],
      ),
    );
  }

  #renderDefault(notes: Notes): Html {
    if (notes.default === undefined) return "";
    const word = escapeHtml(this.#context.words.default);
    return html` <span class="field-default">${word}: ${renderCode(notes.default)}</span>`;
  }

  /** Renders a description, followed by the other descriptions of the shape. */
  #renderTexts(description: string | undefined, shape: Shape): Html {
    const { page, position } = this.#context;
    const others = shape.texts.filter((text) => text !== description);
    return joinHtml(
      [description, ...others].map((text) => renderApiDescription(text, { position }, page)),
    );
  }

  #renderNotes(notes: Notes, whole?: DeferredPart): Html {
    const { words, deferred } = this.#context;
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
      notes.examples.length === 0
        ? ""
        : renderLabeledNote(words.example, joinWithSpaces(notes.examples.map(renderCode))),
      notes.isFreeForm ? renderNote(escapeHtml(words.anyFields)) : "",
      whole === undefined ? "" : this.#renderOpener(whole, deferred.words.more),
    ]);
  }

  /**
   * Renders an element that loads a part when a reader opens it. Without scripts, the element links to the Markdown
   * file.
   */
  #renderOpener({ number }: DeferredPart, title: string): Html {
    const { script, markdownHref, words } = this.#context.deferred;
    const attributes = joinAttributes({
      class: "fold expandable",
      "data-part": String(number),
      "data-script": script,
    });
    const label = html`<span class="fold-title">${escapeHtml(title)}</span>`;
    const summary = html`<summary><span class="fold-text">${label}</span></summary>`;
    const link = html`<a href="${markdownHref}">${escapeHtml(words.viewAsMarkdown)}</a>`;
    return html`<details${attributes}>${summary}<div class="fold-content">${renderNote(link)}</div></details>`;
  }

  /** Renders a field's nested fields, initially collapsed. */
  #renderNested(shape: Shape): Html {
    const inside = this.#renderInside(shape);
    if (inside === "" || shape.fields.length + shape.choices.length === 0) return inside;
    const { words, settings } = this.#context;
    const attributes = joinAttributes({ class: "fold expandable", open: settings.isExpanded });
    const title = html`<span class="fold-title">${escapeHtml(words.childFields)}</span>`;
    const summary = html`<summary><span class="fold-text">${title}</span></summary>`;
    return html`<details${attributes}>${summary}<div class="fold-content">${inside}</div></details>`;
  }

  #renderInside(shape: Shape, marks: FieldMarks = {}): Html {
    const { words } = this.#context;
    const { repeats, moreFields, deferred } = shape;
    if (repeats !== undefined) {
      return renderNote(fillHtmlPlaceholders(words.repeats, { parent: renderCode(repeats) }));
    }
    if (shape.isCut) return renderNote(escapeHtml(words.notShown));
    if (deferred?.kind === "fields") return this.#renderOpener(deferred, words.childFields);
    return joinHtml([
      ...shape.fields.map((field) => this.renderField(field, marks)),
      deferred === undefined ? "" : this.#renderOpener(deferred, this.#context.deferred.words.more),
      moreFields === 0 ? "" : this.#renderMore(moreFields),
      ...shape.choices.map((choice) => this.#renderChoice(choice)),
    ]);
  }

  #renderMore(count: number): Html {
    const text = fillPlaceholders(this.#context.words.more, { count: String(count) });
    return renderNote(escapeHtml(text));
  }

  #renderChoice({ kind, options, more, moreOptions }: ShapeChoice): Html {
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
      const marks = { hasType: shape.type !== "object", title, isBody: false };
      return {
        ...(this.#hasNoIds ? {} : { id: page.ids.claim(anchor) }),
        title,
        html: html`${when}${this.renderRoot(shape, marks)}`,
      };
    });
    const rest = joinHtml([
      more === undefined ? "" : this.#renderOpener(more, this.#context.deferred.words.more),
      moreOptions === 0 ? "" : this.#renderMore(moreOptions),
    ]);
    const kindText = escapeHtml(kind === "oneOf" ? words.oneOf : words.anyOf);
    return html`<div class="api-choice"><p class="api-choice-kind">${kindText}</p>${renderTabSet(panels)}${rest}</div>`;
  }
}

function renderPills(words: readonly string[] | undefined): Html[] {
  return (words ?? []).map((word) => renderFieldLabel("", word));
}
