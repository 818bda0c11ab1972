import {
  joinAttributes,
  escapeHtml,
  fillPlaceholders,
  html,
  joinHtml,
  trustHtml,
  type Html,
} from "../markup/index.ts";
import type { MarkdownNode } from "../page/index.ts";
import type { PageAnchors } from "./page-anchors.ts";
import type { NodeRenderer } from "./renderer.ts";

/** With a text variation selector: some phones show an emoji otherwise. */
const backArrow = "↩\u{fe0e}";

interface Note {
  readonly definition: MarkdownNode<"footnoteDefinition">;
  /** Ids of the references to the footnote, in order. */
  readonly references: string[];
}

/** The footnotes of one page, numbered in the order of their references. */
export class Footnotes {
  readonly #definitions: ReadonlyMap<string, MarkdownNode<"footnoteDefinition">>;
  readonly #notes = new Map<string, Note>();

  constructor(definitions: ReadonlyMap<string, MarkdownNode<"footnoteDefinition">>) {
    this.#definitions = definitions;
  }

  refer(identifier: string, ids: PageAnchors): { number: number; id: string } | undefined {
    const definition = this.#definitions.get(identifier);
    if (definition === undefined) return undefined;
    const note = this.#notes.get(identifier) ?? { definition, references: [] };
    this.#notes.set(identifier, note);
    const number = [...this.#notes.keys()].indexOf(identifier) + 1;
    const id = ids.allocate(`footnote-${number}-reference`);
    ids.show(id);
    note.references.push(id);
    return { number, id };
  }

  /** Renders the notes with links back to their references, followed by notes that these notes refer to. */
  render(renderer: NodeRenderer): Html {
    const notes: Html[] = [];
    let number = 0;
    // The loop also visits entries that it adds.
    for (const { definition, references } of this.#notes.values()) {
      number++;
      const id = `footnote-${number}`;
      renderer.ids.show(id);
      const content = renderer.renderNodes(definition.children);
      const links = references.map((reference, index) => {
        const place = index === 0 ? `${number}` : `${number}-${index + 1}`;
        const label = escapeHtml(fillPlaceholders(renderer.words.footnoteBack, { number: place }));
        return html` <a class="footnote-back" href="#${escapeHtml(reference)}" aria-label="${label}">${escapeHtml(backArrow)}</a>`;
      });
      const inner = withinParagraph(content, joinHtml(links));
      notes.push(html`<li${joinAttributes({ id })}>${inner}</li>`);
    }
    if (notes.length === 0) return "";
    return html`<section class="footnotes"><ol>${joinHtml(notes)}</ol></section>`;
  }
}

const paragraphEnd = "</p>";

/** Appends `added` to `content`: inside its last paragraph if it ends with one. */
function withinParagraph(content: Html, added: Html): Html {
  if (!content.endsWith(paragraphEnd)) return html`${content}${added}`;
  // Only a complete tag is removed.
  const open = trustHtml(content.slice(0, -paragraphEnd.length));
  return html`${open}${added}</p>`;
}
