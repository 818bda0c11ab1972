import {
  append,
  copyNode,
  copyShell,
  createElement,
  createText,
  getAttribute,
  removeAttribute,
  setAttribute,
  type ChildNode,
  type Element,
} from "./dom.ts";
import type { TextPiece } from "./compare-tokens.ts";
import type { TextToken } from "./read-blocks.ts";

/** A token to write, with the version of the page that it is from. */
export interface WrittenToken {
  readonly token: TextToken;
  readonly side: "before" | "after";
  readonly mark: "added" | "removed" | "restyled" | undefined;
  /** A sentence about a restyled token. */
  readonly note?: string | undefined;
}

/** Lists the tokens of compared texts in the order in which they are shown. */
export function listTokens(pieces: readonly TextPiece[]): readonly WrittenToken[] {
  return pieces.flatMap(({ kind, before, after }): WrittenToken[] => {
    if (kind === "same") return after.map((token) => ({ token, side: "after", mark: undefined }));
    if (kind === "restyled") {
      const note = describeRestyled(before, after);
      return after.map((token) => ({ token, side: "after", mark: "restyled", note }));
    }
    return [
      ...before.map((token) => ({ token, side: "before", mark: "removed" }) as const),
      ...after.map((token) => ({ token, side: "after", mark: "added" }) as const),
    ];
  });
}

interface OpenElement {
  readonly copy: Element;
  source: Element;
  side: WrittenToken["side"];
}

/** Writes tokens as nodes, with the elements of both versions around them. */
export function writeTokens(tokens: readonly WrittenToken[]): readonly ChildNode[] {
  const root = createElement("span");
  const open: OpenElement[] = [];
  let mark: Element | undefined;
  let last: WrittenToken | undefined;

  function openPath({ token: { path }, side }: WrittenToken): Element {
    let depth = 0;
    while (depth < path.length && open[depth] && isContinued(open[depth], path[depth], side)) {
      const [level, source] = [open[depth], path[depth]];
      if (level && source) [level.source, level.side] = [source, side];
      depth += 1;
    }
    if (depth < open.length || depth < path.length) mark = undefined;
    open.length = depth;
    for (const source of path.slice(depth)) {
      const copy = copyShell(source);
      if (side === "before") removeAttribute(copy, "id");
      append(open.at(-1)?.copy ?? root, copy);
      open.push({ copy, source, side });
    }
    return open.at(-1)?.copy ?? root;
  }

  for (const each of tokens) {
    const parent = openPath(each);
    const isOther = each.mark !== last?.mark || each.note !== last?.note;
    if (isOther || each.token.atom) mark = undefined;
    if (each.mark && !mark && !each.token.atom) {
      mark = createMark(each);
      append(parent, mark);
    }
    writeToken(mark ?? parent, each);
    last = each;
  }
  return root.childNodes;
}

/** Reports whether an open element is the one of the next token, or looks as that one of the other version does. */
function isContinued(
  open: OpenElement | undefined,
  source: Element | undefined,
  side: WrittenToken["side"],
): boolean {
  if (!open || !source) return false;
  if (open.side === side) return open.source === source;
  const same = ["class", "href", "style"].every(
    (name) => getAttribute(open.source, name) === getAttribute(source, name),
  );
  return open.source.tagName === source.tagName && same;
}

function createMark({ mark, note }: WrittenToken): Element {
  return createElement(mark === "removed" ? "del" : "ins", {
    "data-difference": mark ?? "",
    ...(note !== undefined && { title: note }),
  });
}

/** Writes a token. A picture is marked itself, because style sheets may expect it within the elements around it. */
function writeToken(parent: Element, { token, side, mark }: WrittenToken): void {
  if (token.atom) {
    const copy = copyNode(token.atom);
    if (side === "before") removeIds(copy);
    if (mark && token.atom.tagName !== "br") setAttribute(copy, "data-difference", mark);
    append(parent, copy);
    return;
  }
  const before = parent.childNodes.at(-1);
  if (before && "value" in before && before.nodeName === "#text") before.value += token.text;
  else append(parent, createText(token.text));
}

/** Removes the ids from a copy, because an id may occur only once in a page. */
export function removeIds(element: Element): void {
  const stack = [element];
  for (let next = stack.pop(); next; next = stack.pop()) {
    removeAttribute(next, "id");
    for (const child of next.childNodes) if ("tagName" in child) stack.push(child);
  }
}

const maxNoteLength = 300;

/** Says how words look now and did before, as far as it can be said. */
function describeRestyled(before: readonly TextToken[], after: readonly TextToken[]): string {
  const [old, own] = [before, after].map(findLink);
  if (old !== own) {
    const link = `Link: ${old ?? "none"} → ${own ?? "none"}`;
    return link.length > maxNoteLength ? `${link.slice(0, maxNoteLength)}…` : link;
  }
  return "Same words in another style";
}

function findLink(tokens: readonly TextToken[]): string | undefined {
  const links = tokens.flatMap(({ path }) => path.filter(({ tagName }) => tagName === "a"));
  return links[0] && getAttribute(links[0], "href");
}
