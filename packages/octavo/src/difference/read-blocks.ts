import {
  getAttribute,
  getClasses,
  getText,
  isElement,
  type ChildNode,
  type Element,
  type ParentNode,
} from "./dom.ts";
import { mapAddresses, type AddressUse } from "./page-addresses.ts";

/** A piece of a block's text: a word, a symbol, a space, or something that is not text, such as a picture. */
export interface TextToken {
  /** Equal for pieces that look the same to readers. */
  readonly key: number;
  /** Equal for pieces with the same text, possibly in a different style or with a different link. */
  readonly textKey: number;
  readonly text: string;
  /** The elements around the piece within its block, outermost first. */
  readonly path: readonly Element[];
  /** The element that is shown, if the piece is not text. */
  readonly atom: Element | undefined;
}

/** A part of an article that readers perceive as a unit: a paragraph, a list, a code block, a card, a cell. */
export interface Block {
  readonly kind: "group" | "text" | "code";
  /** The element; undefined for text that lies between blocks. */
  readonly element: Element | undefined;
  readonly parent: ParentNode;
  /** The element alone, or the nodes of text that lies between blocks. */
  readonly nodes: readonly ChildNode[];
  /** The kind of element, identified by its tag or its first class. */
  readonly label: string;
  /** The appearance of the element itself, without its content. */
  readonly look: string;
  /** Equal for blocks that look the same to readers. */
  readonly key: number;
  /** Blocks within a group. */
  readonly children: readonly Block[];
  /** The pieces of a text block, or of all lines of a code block, in order. */
  readonly tokens: readonly TextToken[];
  /** The number of occurrences of each word in the block. */
  readonly words: ReadonlyMap<number, number>;
  /** The total length of the words, in characters. */
  readonly size: number;
}

/** Converts an address on a page to a string that is equal for addresses that look the same to readers. */
export type IdentifyAddress = (address: string, use: AddressUse) => string;

/** Reads the articles of a page's two versions as blocks. */
export interface BlockReader {
  read(article: Element, identify: IdentifyAddress): Block;
  /** Returns the length of a word, in characters. */
  getWordLength(word: number): number;
}

const unseenTags = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "link",
  "meta",
  "title",
  "base",
]);
/** Elements around an article's content that can change when another page changes, such as the pagination. */
const pageChrome = {
  ids: new Set(["pagination", "page-source", "page-context-menu", "table-of-contents"]),
  classes: new Set(["eyebrow", "filters", "directory", "page-actions", "page-menu"]),
};
const inlineTags = new Set("a abbr acronym audio b bdi bdo big br button canvas cite code data del dfn em embed font i iframe img input ins kbd label map mark math meter nobr object output picture progress q rp rt ruby s samp select small span strike strong sub sup svg textarea time tt u var video wbr".split(" ")); // prettier-ignore
const atomTags = new Set("audio br button canvas embed iframe img input math meter object picture progress select svg textarea video".split(" ")); // prettier-ignore
const atomClasses = new Set(["icon", "i", "katex", "color-swatch", "step-mark", "diagram"]);
/** Attributes that change how an element looks or where it leads. */
const visibleAttributes = new Set("align alt checked colspan controls data dir disabled height href label open placeholder poster reversed rowspan span src srcset start style type value width".split(" ")); // prettier-ignore
const spacePattern = /[ \t\r\n\f]+/;

/** Creates a reader whose keys can be compared with each other. `language` is a tag such as `ja`. */
export function createBlockReader(language: string): BlockReader {
  const idsByText = new Map<string, number>();
  const lengths = new Map<number, number>();
  const segmenter = createSegmenter(language);

  function intern(text: string): number {
    const existing = idsByText.get(text);
    if (existing !== undefined) return existing;
    idsByText.set(text, idsByText.size);
    return idsByText.size - 1;
  }

  function readArticle(article: Element, identify: IdentifyAddress): Block {
    const tokens = createTokenReader({ segmenter, intern, identify });

    function readElement(element: Element, parent: ParentNode): Block {
      const look = describeElement(element, identify);
      const base = { element, parent, nodes: [element], label: getLabel(element), look };
      if (element.tagName === "pre") return readCode(element, base);
      const isText = !hasBlockInside(element) || isAtom(element);
      if (isText) return readText(isAtom(element) ? [element] : element.childNodes, base);
      const children = readChildren(element);
      const keys = children.map(({ key }) => key).join(",");
      const key = intern(`group\n${look}\n${keys}`);
      return { kind: "group", ...base, key, children, tokens: [], ...mergeWordCounts(children) };
    }

    function readCode(element: Element, base: BlockBase): Block {
      const parts = tokens.readLines(findCodeHost(element).childNodes);
      const key = intern(`code\n${base.look}\n${parts.map((token) => token.key).join(",")}`);
      return { kind: "code", ...base, key, children: [], tokens: parts, ...measureWords(parts) };
    }

    function readText(nodes: readonly ChildNode[], base: BlockBase): Block {
      const parts = tokens.readText(nodes);
      const key = intern(`text\n${base.look}\n${parts.map((token) => token.key).join(",")}`);
      return { kind: "text", ...base, key, children: [], tokens: parts, ...measureWords(parts) };
    }

    function readChildren(parent: Element): Block[] {
      const blocks: Block[] = [];
      let textRun: ChildNode[] = [];
      const flushTextRun = () => {
        const base = { element: undefined, parent, nodes: textRun, label: "", look: "" };
        const block = readText(textRun, base);
        if (block.tokens.length > 0) blocks.push(block);
        textRun = [];
      };
      for (const node of parent.childNodes) {
        if (isUnseen(node)) continue;
        if (isElement(node) && isBlock(node)) {
          flushTextRun();
          blocks.push(readElement(node, parent));
        } else {
          textRun.push(node);
        }
      }
      flushTextRun();
      return blocks;
    }

    return readElement(article, article.parentNode ?? article);
  }

  function measureWords(tokens: readonly TextToken[]): Pick<Block, "words" | "size"> {
    const words = new Map<number, number>();
    let size = 0;
    for (const { text, atom } of tokens) {
      if (atom || !/[\p{L}\p{N}]/u.test(text)) continue;
      const word = intern(`word\n${text.toLowerCase()}`);
      lengths.set(word, text.length);
      words.set(word, (words.get(word) ?? 0) + 1);
      size += text.length;
    }
    return { words, size };
  }

  return { read: readArticle, getWordLength: (word) => lengths.get(word) ?? 0 };
}

type BlockBase = Pick<Block, "element" | "parent" | "nodes" | "label" | "look">;

function createSegmenter(language: string): Intl.Segmenter {
  try {
    return new Intl.Segmenter(language, { granularity: "word" });
  } catch {
    return new Intl.Segmenter("en", { granularity: "word" });
  }
}

function mergeWordCounts(children: readonly Block[]): Pick<Block, "words" | "size"> {
  const words = new Map<number, number>();
  let size = 0;
  for (const child of children) {
    size += child.size;
    for (const [word, count] of child.words) words.set(word, (words.get(word) ?? 0) + count);
  }
  return { words, size };
}

interface TokenContext {
  readonly segmenter: Intl.Segmenter;
  readonly intern: (text: string) => number;
  readonly identify: IdentifyAddress;
}

function createTokenReader({ segmenter, intern, identify }: TokenContext) {
  const looks = new Map<Element, string>();

  function getLook(element: Element): string {
    const look = looks.get(element) ?? describeElement(element, identify);
    looks.set(element, look);
    return look;
  }

  function createAtom(element: Element, path: readonly Element[]): TextToken {
    const text = getAtomText(element);
    const key = intern(`atom\n${describeAtom(element, identify)}\n${text}`);
    return { key, textKey: key, text, path, atom: element };
  }

  /** Reads text word by word. Collapses spaces, and ignores spaces at the ends of the block. */
  function readText(nodes: readonly ChildNode[]): readonly TextToken[] {
    const tokens: TextToken[] = [];
    const blank = intern("blank");
    let isAfterSpace = true;
    function addToken(text: string, path: readonly Element[], look: string): void {
      const isBlank = /^\s+$/.test(text);
      if (isBlank && isAfterSpace) return;
      isAfterSpace = isBlank;
      const shownText = isBlank ? " " : text;
      const textKey = isBlank ? blank : intern(`text\n${shownText}`);
      const key = isBlank ? blank : intern(`${look}\n${shownText}`);
      tokens.push({ key, textKey, text: shownText, path, atom: undefined });
    }
    function walk(node: ChildNode, path: readonly Element[], look: string): void {
      if (isUnseen(node)) return;
      if ("value" in node) {
        const text = node.value.replaceAll(new RegExp(spacePattern, "g"), " ");
        for (const { segment } of segmenter.segment(text)) addToken(segment, path, look);
      } else if (isElement(node)) {
        if (isAtom(node)) {
          isAfterSpace = node.tagName === "br";
          tokens.push(createAtom(node, path));
          return;
        }
        const nestedPath = [...path, node];
        const nestedLook = `${look}>${getLook(node)}`;
        for (const child of node.childNodes) walk(child, nestedPath, nestedLook);
      }
    }
    for (const node of nodes) walk(node, [], "");
    while (tokens.at(-1)?.key === blank) tokens.pop();
    return tokens;
  }

  /** Reads code, in which spaces and line breaks are significant, but colors are not. */
  function readLines(nodes: readonly ChildNode[]): readonly TextToken[] {
    const tokens: TextToken[] = [];
    function walk(node: ChildNode, path: readonly Element[]): void {
      if (isUnseen(node)) return;
      if ("value" in node) {
        const mark = path.some((element) => getClasses(element).includes("marked")) ? "marked" : "";
        for (const part of node.value.split(/(\r?\n)/)) {
          const pieces = part.endsWith("\n") ? ["\n"] : splitCode(segmenter, part);
          for (const text of pieces) {
            const textKey = intern(`text\n${text}`);
            const key = intern(`${mark}\n${text}`);
            tokens.push({ key, textKey, text, path, atom: undefined });
          }
        }
      } else if (isElement(node)) {
        if (isAtom(node)) return void tokens.push(createAtom(node, path));
        for (const child of node.childNodes) walk(child, [...path, node]);
      }
    }
    for (const node of nodes) walk(node, []);
    while (tokens.at(-1)?.text === "\n") tokens.pop();
    return tokens;
  }

  return { readText, readLines };
}

/** Splits code into words, as a segmenter finds them, and runs of spaces. */
function splitCode(segmenter: Intl.Segmenter, code: string): string[] {
  return [...segmenter.segment(code)].map(({ segment }) => segment);
}

const decorationClasses = ["icon", "i", "step-mark"];

/** Reports whether a block consists only of icons, which belong to the appearance of the surrounding block. */
export function isDecoration({ tokens, kind }: Block): boolean {
  return kind === "text" && tokens.length > 0 && tokens.every(({ atom }) => atom && isIcon(atom));
}

function isIcon(element: Element): boolean {
  return getClasses(element).some((name) => decorationClasses.includes(name));
}

/** Returns the element whose children are the lines of a code block. */
export function findCodeHost(pre: Element): Element {
  const [onlyChild, ...others] = pre.childNodes.filter((node) => !isBlankNode(node));
  const isHost = onlyChild !== undefined && isElement(onlyChild) && onlyChild.tagName === "code";
  return isHost && others.length === 0 ? onlyChild : pre;
}

function isBlankNode(node: ChildNode): boolean {
  return node.nodeName === "#comment" || ("value" in node && node.value.trim() === "");
}

function isUnseen(node: ChildNode): boolean {
  if (!isElement(node)) return !("value" in node);
  if (unseenTags.has(node.tagName)) return true;
  const id = getAttribute(node, "id") ?? "";
  if (pageChrome.ids.has(id) || getClasses(node).some((name) => pageChrome.classes.has(name)))
    return true;
  // The link from a heading to itself is hidden from screen readers.
  const isHidden = getAttribute(node, "aria-hidden") === "true";
  return isHidden && node.tagName === "a";
}

function isAtom(element: Element): boolean {
  return atomTags.has(element.tagName) || getClasses(element).some((name) => atomClasses.has(name));
}

function isBlock(element: Element): boolean {
  return !inlineTags.has(element.tagName) || (!isAtom(element) && hasBlockInside(element));
}

function hasBlockInside(element: Element): boolean {
  return element.childNodes.some((node) => isElement(node) && !isUnseen(node) && isBlock(node));
}

function getLabel(element: Element): string {
  const [name] = getClasses(element);
  const isNamed = name !== undefined && !/^(?:h[1-6]|p|li|t[dhr])$/.test(element.tagName);
  return isNamed ? `${element.tagName}.${name}` : element.tagName;
}

/** Describes how an element looks, without its content. */
function describeElement(element: Element, identify: IdentifyAddress): string {
  const parts = [element.tagName, getClasses(element).toSorted().join(" ")];
  for (const { name, value } of element.attrs) {
    if (!visibleAttributes.has(name)) continue;
    parts.push(`${name}=${mapAddresses({ name, value }, identify)}`);
  }
  return [parts[0], parts[1], ...parts.slice(2).toSorted()].join("|");
}

/** Describes an element that is not text, including everything in it. */
function describeAtom(element: Element, identify: IdentifyAddress): string {
  const source = findDrawingSource(element);
  if (source !== undefined) return source;
  const isDrawing = element.tagName === "svg";
  const parts: string[] = [];
  function walk(node: ChildNode): void {
    if ("value" in node) parts.push(node.value);
    if (!isElement(node)) return;
    parts.push(isDrawing ? describeDrawing(node) : describeElement(node, identify));
    node.childNodes.forEach(walk);
  }
  walk(element);
  return parts.join("\n");
}

/** Describes an element of a drawing by its attributes, without IDs, which are numbered per page. */
function describeDrawing({ tagName, attrs }: Element): string {
  const describedAttributes = attrs.filter(
    ({ name }) => !/^(?:id|aria-|data-|role|tabindex)/.test(name),
  );
  const texts = describedAttributes.map(
    ({ name, value }) => `${name}=${value.replaceAll(/#[\w-]+/g, "#")}`,
  );
  return [tagName, ...texts].join("|");
}

/** Returns the text from which a formula or a diagram was drawn. */
function findDrawingSource(element: Element): string | undefined {
  const classes = getClasses(element);
  if (classes.includes("katex")) return getAtomText(element);
  if (!classes.includes("diagram")) return undefined;
  const details = element.childNodes.find(
    (node) => isElement(node) && getClasses(node).includes("diagram-source"),
  );
  return details && getText(details);
}

/** Returns the text that represents an element that is not text. */
function getAtomText(element: Element): string {
  const alternative = getAttribute(element, "alt") ?? getAttribute(element, "aria-label");
  if (alternative !== undefined) return alternative;
  const text = getText(element);
  return getClasses(element).includes("katex") ? text : text.trim();
}
