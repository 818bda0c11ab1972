/** The program of a render child. It receives pages one after the other, requests snippets and returns HTML. */
import type { RenderedPage } from "../page/rendered-page.ts";
import { components } from "../../components/index.ts";
import { createCopyFinder, createSiteLinks, type SitePage } from "../../site/index.ts";
import { readApiSettings } from "../../reference/index.ts";
import { loadHighlighter, type Highlighter } from "../../highlight/index.ts";
import {
  createDiagrams,
  createFormulas,
  renderPage,
  type Diagrams,
  type Formulas,
} from "../../article/index.ts";
import { emptyTerms, indexPageTerms, listPageNames } from "../../search/index.ts";
import type { ComponentScript } from "../../page/index.ts";
import {
  findClassNames,
  findScriptClassNames,
  findSheetClassNames,
  getPlainDescription,
} from "../../theme/index.ts";
import {
  createIconRenderer,
  getLanguageWords,
  joinHtml,
  type Html,
  type SearchSection,
} from "../../markup/index.ts";
import { listRemoteTargets } from "../media/page-media.ts";
import { createPageLayout } from "../page/page-layout.ts";
import {
  type FileAnswer,
  receiveSetup,
  type ChildMessage,
  type PageTask,
  type ParentMessage,
  type RenderSetup,
  type SentSetup,
} from "./protocol.ts";
import { longRunPages, tuneBusyChild } from "../../sandbox/index.ts";

// The highlighter is loaded while the program starts, because code that is compiled later is not cached.
const { createHighlighter, plainHighlighter } = await loadHighlighter();

function send(message: ChildMessage): void {
  process.send?.(message);
}

interface FileReader {
  /** Requests a file of the site from the parent. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly deliver: (request: number, answer: FileAnswer) => void;
}

function createFileReader(): FileReader {
  let lastRequest = 0;
  const pendingReads = new Map<number, PromiseWithResolvers<string | undefined>>();
  return {
    read(path: string): Promise<string | undefined> {
      const request = ++lastRequest;
      send({ type: "read", request, path });
      const answer = Promise.withResolvers<string | undefined>();
      pendingReads.set(request, answer);
      return answer.promise;
    },
    deliver(request: number, answer: FileAnswer): void {
      if ("refused" in answer) pendingReads.get(request)?.reject(new Error(answer.refused));
      else pendingReads.get(request)?.resolve(answer.text);
      pendingReads.delete(request);
    },
  };
}

export function main(): void {
  const files = createFileReader();
  const tools = createRenderTools();
  let renderer: DocumentRenderer | undefined;
  let queue: Promise<void> = Promise.resolve();
  let pageCount = 0;

  async function render(id: number, task: PageTask): Promise<void> {
    pageCount += 1;
    if (pageCount === longRunPages) tuneBusyChild();
    try {
      if (!renderer) throw new Error("A page arrived before the setup.");
      const page = await renderer.render(task);
      send({ type: "rendered", id, page });
    } catch (error) {
      send({ type: "failed", id, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  function start(setup: SentSetup): void {
    renderer = createDocumentRenderer(receiveSetup(setup), { ...tools, readFile: files.read });
    send({ type: "ready" });
  }

  process.on("message", (message: ParentMessage) => {
    if (message.type === "setup") queue = queue.then(() => start(message.setup));
    else if (message.type === "file") files.deliver(message.request, message);
    else queue = queue.then(() => render(message.id, message.task));
  });
  process.on("disconnect", () => process.exit(0));
}

const emptyText = new Uint8Array();

/** The buffer's size, which is sufficient for nearly every document even at three bytes per character. */
const bufferBytes = 512 * 1024;

/** Creates a UTF-8 encoder that reads each string once; `Buffer.from` reads it twice, to measure and to encode it. */
function createEncoder(): (text: string) => Uint8Array {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(bufferBytes);
  return (text) => {
    // A UTF-16 code unit becomes at most three bytes.
    if (text.length > bufferBytes / 3) return Buffer.from(text);
    return buffer.slice(0, encoder.encodeInto(text, buffer).written);
  };
}

interface DocumentRenderer {
  /**
   * Renders a page. Rejects with `too_large` if the page exceeds its limits; no other content that an author can write
   * makes it reject.
   */
  render(task: PageTask): Promise<RenderedPage>;
}

/** The parts of a renderer that do not depend on the site, such as the loaded grammars. */
interface RenderTools {
  readonly highlighter: Highlighter;
  readonly diagrams: Diagrams;
  readonly formulas: Formulas;
}

function createRenderTools(): RenderTools {
  return {
    highlighter: createHighlighter(),
    diagrams: createDiagrams(),
    formulas: createFormulas(),
  };
}

/**
 * Creates a renderer for the pages of one site, from their text to the finished document. It keeps the data that the
 * pages share: the layout's prepared navigation and the targets of links.
 */
function createDocumentRenderer(
  setup: RenderSetup,
  tools: RenderTools & { readonly readFile: (path: string) => Promise<string | undefined> },
): DocumentRenderer {
  const { site, isForCheck, remoteMedia } = setup;
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const layout = createPageLayout(setup, icons);
  const links = createSiteLinks(site);
  const shared = {
    ...tools,
    components: new Map(
      components.flatMap((component) => component.names.map((name) => [name, component] as const)),
    ),
    icons,
    highlighter: isForCheck ? plainHighlighter : tools.highlighter,
    variables: site.config.variables,
    hasFormulas: site.config.hasFormulas,
  };
  const settings = readApiSettings(site.config.extra["api"]);
  const encode = createEncoder();
  return {
    async render({ page, source, subject, mediaCopies }) {
      const { html, markdown, titleHtml, titleAnchor, sections, ...others } = await renderPage({
        ...shared,
        site: { ...links, findCopy: createCopyFinder(remoteMedia, mediaCopies, setup.mediaCopies) },
        page,
        source,
        words: getLanguageWords(setup.words, page.language),
        api: { settings, ...(subject === undefined ? {} : { subject }) },
      });
      const { authoredClasses, schemaParts = [], ...rest } = others;
      const titleAnchors = titleAnchor === undefined ? [] : [titleAnchor];
      const content = { ...rest, anchors: [...rest.anchors, ...titleAnchors] };
      const remoteFiles = listRemoteTargets(content.references);
      if (isForCheck) {
        const emptyTexts = {
          html: emptyText,
          markdown: emptyText,
          schemaScript: emptyText,
          terms: emptyTerms,
        };
        const emptyNames = { classNames: [] };
        return { ...content, ...emptyTexts, ...emptyNames, remoteFiles };
      }
      const title = {
        ...(titleHtml !== undefined && { titleHtml }),
        ...(titleAnchor !== undefined && { titleAnchor }),
      };
      const shownHtml = joinHtml([html, ...schemaParts]);
      const sheetClassNames = findSheetClassNames(authoredClasses ?? [], shownHtml);
      const description = getPlainDescription(page.frontmatter.description ?? "");
      const document = layout.renderPage(page, { html, markdown, sections, ...title, ...content });
      return {
        ...content,
        html: encode(document),
        markdown: encode(markdown),
        schemaScript:
          schemaParts.length === 0 ? emptyText : encode(formatSchemaScript(schemaParts)),
        terms: indexPageTerms(addTitle(page, { description, sections }), {
          names: listPageNames(page),
          description,
          ...(page.boost === undefined ? {} : { boost: page.boost }),
        }),
        remoteFiles,
        classNames: listClassNames(shownHtml, content.scripts),
        ...(sheetClassNames.length > 0 && { sheetClassNames }),
      };
    },
  };
}

/** Formats parts as a script, the only kind of file that pages can load from `file://`. */
function formatSchemaScript(parts: readonly Html[]): string {
  return `octavoSchemas(${JSON.stringify(parts)});\n`;
}

function listClassNames(html: Html, scripts: readonly ComponentScript[]): string[] {
  const shownClassNames = findClassNames(html);
  if (scripts.length === 0) return [...shownClassNames];
  return [
    ...new Set([
      ...shownClassNames,
      ...scripts.flatMap(({ text }) => [...findScriptClassNames(text)]),
    ]),
  ];
}

/** Adds the title and description, which are shown above the content and for which readers search most. */
function addTitle(
  { title }: SitePage,
  {
    description,
    sections,
  }: { readonly description: string; readonly sections: readonly SearchSection[] },
): SearchSection[] {
  const [first] = sections;
  const top = first?.id === "" ? first.text : "";
  const text = [description, top].filter((part) => part !== "").join(" ");
  const others = first?.id === "" ? sections.slice(1) : sections;
  return [{ ...(first?.id === "" ? first : {}), id: "", heading: title, text }, ...others];
}
