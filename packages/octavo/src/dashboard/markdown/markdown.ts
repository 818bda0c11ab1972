import MarkdownIt from "markdown-it";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { renderTokens } from "./render-tokens.ts";

/** What a code host takes as a text. */
const maxSource = 65_536;
/** What lies deeper is left out. */
const maxNesting = 30;
/** Only addresses of the web, whole: nothing that runs, and nothing of the dashboard's own. */
const allowedLink = /^(?:https?:\/\/|mailto:)/i;

const parser = createParser();

/**
 * The Markdown of summaries, transcripts and pull requests, as code hosts show it: line breaks stay, tags are
 * text, links lead to the web alone, and pictures are links. Whoever wrote it, the work is bounded.
 */
export function renderMarkdown(source: string): Html {
  const blocks = renderTokens(parser.parse(source.slice(0, maxSource), {}));
  const isCut = source.length > maxSource;
  return html`${blocks}${isCut && html`<p class="soft">The rest of this text is not shown.</p>`}`;
}

/** The same of one line: code, strong and emphasised words, and links. */
export function renderInline(line: string): Html {
  return html`${renderTokens(parser.parseInline(line.slice(0, maxSource), {}))}`;
}

function createParser(): InstanceType<typeof MarkdownIt> {
  const made = new MarkdownIt("default", { html: false, linkify: true, maxNesting });
  // Of what merely looks like a domain, most is a file's name.
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  made.validateLink = (address) => allowedLink.test(address);
  return made;
}
