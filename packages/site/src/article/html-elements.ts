import { findSimilarName } from "../core/index.ts";
import {
  buildElement as tag,
  trustHtml,
  buildVoidTag,
  joinAttributes,
  escapeHtml,
  fillPlaceholders,
  html,
  type Html,
} from "../markup/index.ts";
import { readFlagProp, renderCollapsibleTitle, unwrapParagraphs } from "../components/index.ts";
import { isElement, type ElementNode, type PropValue, type TreeNode } from "../page/index.ts";
import { normalizeRemoteAddress } from "../site/index.ts";
import { applyEdits, findCssAddresses } from "../text/index.ts";
import { isDocumentElement } from "./attribute-names.ts";
import { renderAttributes, resolveStyleUrls, toStyleText } from "./element-attributes.ts";
import { renderHeading } from "./heading.ts";
import {
  renderLinkLabel,
  getHost,
  renderRemoteMediaLink,
  renderMissingMedia,
} from "./markdown-nodes.ts";
import { getPlainText } from "./plain-text.ts";
import type { NodeRenderer } from "./renderer.ts";

type RenderElement = (element: ElementNode, renderer: NodeRenderer) => Html;

const voidElements = new Set("area br col embed hr img input param source track wbr".split(" "));

/**
 * The elements that run code, load resources without a request by the reader, or change the page around them, for
 * example by turning all subsequent markup into text.
 */
const droppedElements = new Set(
  "applet base embed frame frameset link meta noembed noframes noscript object plaintext script template xmp".split(
    " ",
  ),
);

/** The inline elements. Paragraphs that MDX creates inside them are unwrapped. */
const phrasingElements = new Set(
  "a abbr b bdi bdo button cite code del dfn em h1 h2 h3 h4 h5 h6 i ins kbd label mark p q s samp small span strong sub summary sup time u var".split(
    " ",
  ),
);

/** The elements that allow only certain children. Paragraphs in them are unwrapped. */
const structuralElements = new Set(
  "audio colgroup dl menu ol optgroup picture select svg g defs table tbody tfoot thead tr ul video".split(
    " ",
  ),
);

const htmlName = /^[a-z][\w:-]*$/i;

/** Renders an element: a component, or HTML and SVG as authored. */
export function renderElement(element: ElementNode, renderer: NodeRenderer): Html {
  const { name, children } = element;
  if (name === "" || isDocumentElement(name)) return renderer.renderNodes(children);
  const component = renderer.findComponent(name);
  if (component !== undefined) return component.render(element, renderer);
  if (!/^[a-z]/.test(name) || !htmlName.test(name)) return renderUnknown(element, renderer);
  const renderSpecial = specialElements.get(name);
  const rendered =
    renderSpecial === undefined ? renderPlain(element, renderer) : renderSpecial(element, renderer);
  // `<br>text</br>` is valid MDX. Browsers show the text after the element.
  const isComplete = element.children.length === 0 || !voidElements.has(name);
  return isComplete ? rendered : html`${rendered}${renderer.renderNodes(getContent(element))}`;
}

function renderUnknown(element: ElementNode, renderer: NodeRenderer): Html {
  const { name, position } = element;
  const similar = findSimilarName(name, renderer.listComponentNames());
  const advice = similar === undefined ? "Import it or correct its name." : `Did you mean <${similar}>?`; // prettier-ignore
  const message = `There is no component <${name}>; only its content is shown. ${advice}`;
  renderer.problems.warn("unknown_component", message, position);
  const markup = renderer.renderNodes(element.children);
  return element.isFlow && markup !== "" && isInlineContent(element.children)
    ? html`<p>${markup}</p>`
    : markup;
}

function renderPlain(element: ElementNode, renderer: NodeRenderer): Html {
  const { name } = element;
  if (isDropped(element)) {
    warnOfDropped(element, renderer);
    return "";
  }
  const attributes = renderAttributes(element, renderer);
  if (voidElements.has(name)) return buildVoidTag(name, attributes);
  const render = () => renderer.renderNodes(getContent(element));
  const isClosed = name === "details" && readFlagProp(element.props, "open") !== true;
  return tag(name, attributes, isClosed ? renderer.outline.renderHidden(render) : render());
}

/** Reports whether an element must be dropped because it could run code, possibly by animating an address. */
function isDropped({ name, props }: ElementNode): boolean {
  if (droppedElements.has(name.toLowerCase())) return true;
  const isAnimation = /^(?:set|animate)/i.test(name);
  return isAnimation && Object.entries(props).some(isAddressAnimation);
}

/** Reports whether an attribute animates an address. Browsers ignore the case of attribute names. */
function isAddressAnimation([key, value]: readonly [string, PropValue]): boolean {
  return key.toLowerCase() === "attributename" && /href/i.test(toText(value));
}

function warnOfDropped(element: ElementNode, renderer: NodeRenderer): void {
  renderer.problems.warn(
    "element_dropped",
    `<${element.name}>${formatRemoteSource(element)} is omitted: pages must not contain elements that run code or load resources. Put scripts and styles into files at the root of the site.`,
    element.position,
  );
}

/**
 * Formats the remote address that the element would have loaded, for use in a message. Returns an empty string if the
 * address is not remote.
 */
function formatRemoteSource({ props }: ElementNode): string {
  const address = normalizeRemoteAddress(toText(props.src ?? props.href ?? props.data));
  return address === undefined ? "" : ` from ${shortenAddress(address)}`;
}

function shortenAddress(address: string): string {
  return address.length > maxShownAddressLength
    ? `${address.slice(0, maxShownAddressLength).toWellFormed()}…`
    : address;
}

/** The maximum length of an address in a message. */
const maxShownAddressLength = 200;

/** Returns the children of an element. Unwraps paragraphs if the element does not allow them. */
function getContent(element: ElementNode): readonly TreeNode[] {
  const { name, children } = element;
  const isStructural = structuralElements.has(name);
  if (!isStructural && !phrasingElements.has(name)) return children;
  const paragraphs = countParagraphs(children);
  if (paragraphs === 0 || (!isStructural && paragraphs > 1)) return children;
  return unwrapParagraphs(children);
}

function countParagraphs(nodes: readonly TreeNode[]): number {
  return nodes.reduce((sum, node) => {
    if (node.type === "componentSlot") return sum + countParagraphs(node.children);
    return node.type === "paragraph" ? sum + 1 : sum;
  }, 0);
}

const specialElements: ReadonlyMap<string, RenderElement> = new Map<string, RenderElement>([
  ["a", renderAnchor],
  ["audio", renderAudio],
  ["embed", (element, renderer) => renderEmbedded(element, element.props.src, renderer)],
  ["img", renderImage],
  ["iframe", renderFrame],
  ["object", (element, renderer) => renderEmbedded(element, element.props.data, renderer)],
  ["p", renderParagraphElement],
  ["style", renderStyle],
  ["summary", renderSummary],
  [
    "table",
    (element, renderer) => html`<div class="table">${renderPlain(element, renderer)}</div>`,
  ],
  ["svg", renderSvg],
  ["use", renderUse],
  ["video", renderVideo],
  ...[1, 2, 3, 4, 5, 6].map((depth): [string, RenderElement] => [
    `h${depth}`,
    (element, renderer) => renderHeadingElement(element, depth, renderer),
  ]),
]);

function renderAnchor(element: ElementNode, renderer: NodeRenderer): Html {
  const { props, position } = element;
  const isLink = typeof props.href === "string";
  if (isLink && renderer.links.isWithinLink) return renderer.renderNodes(getContent(element));
  if (typeof props.name === "string" && props.name !== "") renderer.ids.show(props.name);
  if (!isLink) {
    return html`<a${renderAttributes(element, renderer)}>${renderer.renderNodes(getContent(element))}</a>`;
  }
  const { href, isExternal } = renderer.links.link(toText(props.href), position);
  const rest = renderAttributes(element, renderer, ["href", "rel", "target"]);
  const rel = toText(props.rel);
  const ownAttributes = joinAttributes({
    href,
    target: isExternal ? "_blank" : toText(props.target),
    rel: isExternal && !rel.includes("noreferrer") ? `${rel} noreferrer`.trim() : rel,
  });
  const content = renderer.links.renderWithinLink(() => renderer.renderNodes(getContent(element)));
  const label = hasOwnLabel.test(rest) ? "" : renderLinkLabel(content, href);
  const link = html`<a${ownAttributes}${rest}${label}>${content}</a>`;
  const isPermalink = href.startsWith("#") && renderer.getText(element.children).trim() === "";
  if (!isPermalink) return renderer.links.collectLink(link) ? content : link;
  // An icon that links to its own position is only for mouse users, like the link of a heading.
  const mouseLink = html`<a tabindex="-1" aria-hidden="true"${ownAttributes}${rest}${label}>${content}</a>`;
  return renderer.links.isCollecting ? mouseLink : link;
}

/** Matches attributes that give a link a name or hide it from screen readers. */
const hasOwnLabel = /\s(?:aria-|title="|hidden)/;

function renderImage(element: ElementNode, renderer: NodeRenderer): Html {
  const { actions, actionsPlacement, alt, loading, src } = element.props;
  if (isMissing(src, element, renderer)) {
    renderer.links.media(toText(src), element.position);
    const className = getClassName(element);
    return renderMissingMedia(renderer.words.pictureMissing, { alt: toText(alt), className });
  }
  const remoteLink = renderLinkIfHidden([toText(src)], element, renderer);
  if (remoteLink !== undefined) return remoteLink;
  const isLazy = loading === undefined && !renderer.links.isFirstImage();
  const ownAttributes = joinAttributes({
    "data-no-zoom": readFlagProp(element.props, "noZoom") ?? readFlagProp(element.props, "nozoom"),
    "data-actions": readPictureActions(actions),
    "data-placement": actions === undefined ? undefined : toText(actionsPlacement),
  });
  const rest = renderAttributes(element, renderer, imageAttributes);
  return html`<img${rest}${ownAttributes}${alt === undefined ? html` alt=""` : ""}${isLazy ? html` loading="lazy"` : ""}>`;
}

/** The attributes with options for pictures, which are passed to the client script as `data-` attributes. */
const imageAttributes = ["nozoom", "actions", "actionsplacement"];

/** Returns the buttons of a picture. `actions` without known names means all buttons. */
function readPictureActions(actions: PropValue | undefined): string | undefined {
  if (actions === undefined || actions === false || actions === "false") return undefined;
  const requested = toText(actions)
    .toLowerCase()
    .split(/[\s,]+/);
  const knownActions = ["copy", "download"].filter((name) => requested.includes(name));
  return (knownActions.length === 0 ? ["copy", "download"] : knownActions).join(" ");
}

function renderVideo(element: ElementNode, renderer: NodeRenderer): Html {
  const { preload, autoPlay, autoplay, title } = element.props;
  const sources = listMediaSources(element);
  if (sources.length > 0 && sources.every((src) => isMissing(src, element, renderer))) {
    for (const src of sources) renderer.links.media(src, element.position);
    const className = getClassName(element);
    return renderMissingMedia(renderer.words.videoMissing, { alt: toText(title), className });
  }
  const remoteLink = renderLinkIfHidden(sources, element, renderer);
  if (remoteLink !== undefined) return remoteLink;
  const isEager = preload !== undefined || Boolean(autoPlay ?? autoplay);
  const attributes = html`${renderAttributes(element, renderer)}${isEager ? "" : html` preload="metadata"`}`;
  return html`<video${attributes}>${renderer.renderNodes(getContent(element))}</video>`;
}

function renderAudio(element: ElementNode, renderer: NodeRenderer): Html {
  const remoteLink = renderLinkIfHidden(listMediaSources(element), element, renderer);
  return remoteLink ?? renderPlain(element, renderer);
}

/** Lists the addresses of a video or audio element: its own address, then those of its `<source>` elements. */
function listMediaSources(element: ElementNode): string[] {
  const sources = [element, ...getContent(element).filter(isElement)]
    .filter(({ name }) => name === element.name || name === "source")
    .map(({ props }) => toText(props.src));
  return sources.filter((src) => src !== "");
}

/** Renders a link instead of the element if none of its sources is shown. Otherwise returns undefined. */
function renderLinkIfHidden(
  sources: readonly string[],
  element: ElementNode,
  renderer: NodeRenderer,
): Html | undefined {
  const [first = ""] = sources;
  const { position, props } = element;
  if (first === "" || !sources.every((src) => renderer.links.isElsewhere(src, position)))
    return undefined;
  for (const src of sources) renderer.links.media(src, position);
  const description = { alt: toText(props.alt ?? props.title), className: getClassName(element) };
  return renderRemoteMediaLink(first, description, renderer);
}

function isMissing(
  src: PropValue | undefined,
  { position }: ElementNode,
  renderer: NodeRenderer,
): boolean {
  return typeof src === "string" && src !== "" && renderer.links.isMissing(src, position);
}

function getClassName({ props }: ElementNode): string {
  return toText(props.className ?? props.class);
}

/**
 * The size in pixels up to which an SVG without explicit dimensions is treated as an icon. Common grids are 16, 20, 24,
 * 32 and 48.
 */
const maxIconSize = 64;

/**
 * Renders an SVG. Without a size, it would be as wide as the text, so an icon gets the size of a letter. Style sheets
 * override these attributes.
 */
function renderSvg(element: ElementNode, renderer: NodeRenderer): Html {
  const { props } = element;
  if (props.width !== undefined || props.height !== undefined)
    return renderPlain(element, renderer);
  const box = toText(props.viewBox ?? props.viewbox);
  if (box === "") {
    return renderPlain({ ...element, props: { ...props, width: "1em", height: "1em" } }, renderer);
  }
  const [, , width = 0, height = 0] = box.split(/[\s,]+/, 4).map(Number);
  if (Math.max(width, height) > maxIconSize) return renderPlain(element, renderer);
  return renderPlain({ ...element, props: { ...props, width: "1em" } }, renderer);
}

/** Renders `<use>`. Browsers load targets only from the same site, so other targets and missing files are omitted. */
function renderUse(element: ElementNode, renderer: NodeRenderer): Html {
  const { props, position } = element;
  const target = toText(props.href ?? props.xlinkHref ?? props["xlink:href"]);
  if (target === "" || target.startsWith("#")) return renderPlain(element, renderer);
  const { isExternal } = renderer.links.media(target, position);
  return isExternal || renderer.links.isMissing(target, position)
    ? ""
    : renderPlain(element, renderer);
}

/**
 * Renders a frame. A frame from another host is rendered as a link, which the client script replaces with the frame on
 * click. Without the script, the link opens in a new window.
 */
function renderFrame(element: ElementNode, renderer: NodeRenderer): Html {
  const { props, position } = element;
  const authored = toText(props.src);
  if (renderer.links.isElsewhere(authored, position)) {
    const description = { alt: toText(props.title), className: getClassName(element) };
    return renderRemoteMediaLink(
      renderer.links.frame(authored, position).src,
      description,
      renderer,
    );
  }
  const { src, isExternal } = renderer.links.frame(authored, position);
  if (!isExternal) {
    const rest = renderAttributes(element, renderer, ["src", "loading"]);
    return html`<iframe src="${escapeHtml(src)}" loading="lazy"${rest}></iframe>`;
  }
  const title = toText(props.title);
  const plainText = escapeHtml(title === "" ? getHost(src) : `${title} (${getHost(src)})`);
  if (renderer.links.isWithinLink) return plainText;
  const action = escapeHtml(fillPlaceholders(renderer.words.loadFrom, { host: getHost(src) }));
  const ownAttributes = joinAttributes({
    class: `frame-consent ${toText(props.className ?? props.class)}`.trim(),
    href: src,
    target: "_blank",
    rel: "noreferrer",
    "data-title": title,
    "data-allow": toText(props.allow),
    "data-width": toText(props.width),
    "data-height": toText(props.height),
    style: toStyleText(props.style ?? null, (target) => renderer.links.media(target, position).src),
  });
  const name = title === "" ? "" : html`<span>${escapeHtml(title)}</span> `;
  const link = html`<a${ownAttributes}>${name}<small>${action}</small></a>`;
  return renderer.links.collectLink(link) ? plainText : link;
}

/** The attributes of `<object>` and `<embed>` that refer to code or change the meaning of the address. */
const embeddingAttributes = ["archive", "classid", "code", "codebase", "codetype", "pluginspage"];

/**
 * Renders `<object>` or `<embed>` if it shows a file of the site; otherwise renders its content. If it has no content
 * and is from another host, it is loaded on the reader's request, like a frame.
 */
function renderEmbedded(
  element: ElementNode,
  source: PropValue | undefined,
  renderer: NodeRenderer,
): Html {
  const { name, position, props } = element;
  const address = toText(source).trim();
  const content = renderer.renderNodes(getContent(element));
  if (isAbsoluteAddress(address)) {
    if (content === "" && normalizeRemoteAddress(address) !== undefined) {
      return renderFrame({ ...element, props: { ...props, src: address } }, renderer);
    }
    warnOfDropped(element, renderer);
    return content;
  }
  if (address === "") return content;
  if (renderer.links.isMissing(address, position)) {
    renderer.links.media(address, position);
    const description = { alt: toText(props.title), className: getClassName(element) };
    return content || renderMissingMedia(renderer.words.pictureMissing, description);
  }
  const attributes = renderAttributes(element, renderer, embeddingAttributes);
  return name === "object" ? tag(name, attributes, content) : buildVoidTag(name, attributes);
}

/** Reports whether an address has a scheme or a host and therefore cannot be a file of the site. */
function isAbsoluteAddress(address: string): boolean {
  return /^\s*(?:[a-z][\w+.-]*:|[/\\]{2})/i.test(address);
}

function toText(value: PropValue | undefined): string {
  return typeof value === "number" || typeof value === "string" ? String(value) : "";
}

/**
 * Renders `<p>`, or a `<div>` if it contains a list or card, because browsers would close `<p>` before these elements.
 */
function renderParagraphElement(element: ElementNode, renderer: NodeRenderer): Html {
  const markup = renderer.renderNodes(getContent(element));
  const name = isInlineContent(getContent(element)) ? "p" : "div";
  return tag(name, renderAttributes(element, renderer), markup);
}

/** Renders the title of `<details>`. Links in the title are moved to the content that it opens. */
function renderSummary(element: ElementNode, renderer: NodeRenderer): Html {
  const render = () => renderer.renderNodes(getContent(element));
  const { title, links } = renderCollapsibleTitle(render, renderer.links);
  return html`${tag("summary", renderAttributes(element, renderer), title)}${links}`;
}

function isInlineContent(nodes: readonly TreeNode[]): boolean {
  return nodes.every((node) => {
    if (node.type === "componentSlot") return isInlineContent(node.children);
    const isBlock = isElement(node) || node.type === "component" ? node.isFlow : undefined;
    return isBlock === undefined ? inlineKinds.has(node.type) : !isBlock;
  });
}

const inlineKinds = new Set(
  "text emphasis strong delete inlineCode link linkReference image imageReference break footnoteReference".split(
    " ",
  ),
);

/** Renders a `<style>` of a page. Omits each `@import` except those of style sheets of the site. */
function renderStyle(element: ElementNode, renderer: NodeRenderer): Html {
  const { position } = element;
  // Inside SVG, browsers parse a style as markup, so it must not contain tags. `a < b` is kept.
  const css = getPlainText(element.children).replaceAll(/<(?=[a-z/!?])/gi, "\\3c ");
  const removals = findCssAddresses(css).flatMap(({ kind, target, rule }) => {
    const isLoaded = !isAbsoluteAddress(target) && !renderer.links.isMissing(target, position);
    return kind !== "import" || isLoaded || !rule ? [] : [{ ...rule, text: "" }];
  });
  const [first] = removals;
  if (first) {
    const importRule = shortenAddress(css.slice(first.start, first.end).trim());
    renderer.problems.warn(
      "element_dropped",
      `${importRule} in <style> is omitted: only style sheets of this site can be imported. Add the file to the site.`,
      position,
    );
  }
  const resolveUrl = (target: string) => renderer.links.media(target, position).src;
  // Style sheets are not escaped, and no tag can begin in this one.
  const styles = trustHtml(resolveStyleUrls(applyEdits(css, removals), resolveUrl));
  return html`<style>${styles}</style>`;
}

function renderHeadingElement(element: ElementNode, depth: number, renderer: NodeRenderer): Html {
  const attributes = renderAttributes(element, renderer, ["id", "noanchor"]);
  const hasLink = element.props.noAnchor === undefined && element.props.noanchor === undefined;
  const children = getContent(element);
  return renderHeading({ node: element, children, depth, attributes, hasLink }, renderer);
}
