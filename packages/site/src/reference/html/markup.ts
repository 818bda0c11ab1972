import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
} from "../../markup/index.ts";
import type { Html } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderApiDescription } from "../description.ts";
import type { ExampleBlock } from "../examples.ts";

/** Renders a small label in a field's head. */
export function renderFieldLabel(className: string, text: string): Html {
  const attributes = joinAttributes({ class: joinClassNames("field-label", className) });
  return html`<span${attributes}>${escapeHtml(text)}</span>`;
}

export function renderCode(text: string): Html {
  return html`<code>${escapeHtml(text)}</code>`;
}

/** Renders a line below a field's description, such as `Options: a b`. */
export function renderNote(content: Html): Html {
  return wrapInElement("p", "field-note", content);
}

export function renderLabeledNote(word: string, content: Html): Html {
  return renderNote(html`${escapeHtml(word)}: ${content}`);
}

/** Joins the parts that are not empty with spaces. */
export function joinWithSpaces(parts: readonly Html[]): Html {
  return joinHtml(
    parts.filter((part) => part !== ""),
    html` `,
  );
}

interface HeadingOptions {
  /** The id. It is in English, so that it is the same in every language of a site. */
  readonly id: string;
  readonly depth?: number;
  /** HTML before the text. Like `aside`, which follows the text, it is not shown in the table of contents. */
  readonly before?: Html;
  readonly aside?: Html;
}

/** Renders a heading and adds it to the page's table of contents. */
export function renderSectionHeading(
  text: string,
  options: HeadingOptions,
  { page }: ApiContext,
): Html {
  const { depth = 2, before = "", aside = "" } = options;
  const id = page.ids.claim(options.id);
  page.outline.add({ depth, id, text });
  const target = escapeHtml(id);
  const link = html`<a class="anchor" href="#${target}" aria-hidden="true" tabindex="-1"></a>`;
  const parts = joinWithSpaces([before, escapeHtml(text), aside]);
  return html`<h${depth} class="api-heading" id="${target}">${parts}${link}</h${depth}>`;
}

interface TabPanel {
  readonly id?: string;
  /** The title, as plain text. */
  readonly title: string;
  readonly html: Html;
}

/** Renders sections that the client script turns into tabs. Choosing a tab here does not change other tab sets. */
export function renderTabSet(panels: readonly TabPanel[]): Html {
  const sections = panels.map((panel) =>
    renderSection(panel, html`<div class="tab-content">${panel.html}</div>`),
  );
  return html`<div class="tabs" data-tabs data-sync="false">${joinHtml(sections)}</div>`;
}

/** Renders code blocks, one of which is shown at a time. With `isSynced`, the chosen language applies to all pages. */
function renderCodeTabs(panels: readonly TabPanel[], isSynced: boolean): Html {
  const sections = panels.map((panel) => renderSection(panel, panel.html));
  const sync = joinAttributes({ "data-sync": isSynced ? undefined : "false" });
  return html`<div class="tabs code-group" data-tabs${sync}>${joinHtml(sections)}</div>`;
}

function renderSection({ id, title }: TabPanel, content: Html): Html {
  const attributes = joinAttributes({ class: "tab-panel", id, "data-title": title });
  return html`<section${attributes}><div class="api-label tab-title">${escapeHtml(title)}</div>${content}</section>`;
}

/** Renders examples in the markup that the layout puts beside the text. */
export function renderExamples(blocks: readonly ExampleBlock[], context: ApiContext): Html {
  const { page, position } = context;
  const asides = blocks.map(({ kind, cases }) => {
    const panels = cases.map(({ title, description, codes }) => {
      const tabs = codes.map(({ title, description, language, code }) => {
        const text = renderApiDescription(description, { position }, page);
        const block = page.code.render({ type: "code", lang: language, value: code, position });
        return { title, html: html`${text}${block}` };
      });
      const text = renderApiDescription(description, { position }, page);
      return { title, html: html`${text}${renderCodeTabs(tabs, kind === "request")}` };
    });
    const [only, ...others] = panels;
    const content = others.length === 0 ? (only?.html ?? "") : renderTabSet(panels);
    return html`<aside class="example"${joinAttributes({ "data-example": kind })}>${content}</aside>`;
  });
  return joinHtml(asides);
}
