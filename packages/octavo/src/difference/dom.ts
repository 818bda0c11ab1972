import { html, type DefaultTreeAdapterTypes } from "./html.bundled.ts";

export type Element = DefaultTreeAdapterTypes.Element;
export type ChildNode = DefaultTreeAdapterTypes.ChildNode;
export type ParentNode = DefaultTreeAdapterTypes.ParentNode;

export function isElement(node: ChildNode | ParentNode): node is Element {
  return "tagName" in node;
}

export function getAttribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((attribute) => attribute.name === name)?.value;
}

export function setAttribute(element: Element, name: string, value: string): void {
  removeAttribute(element, name);
  element.attrs.push({ name, value });
}

export function removeAttribute(element: Element, name: string): void {
  element.attrs = element.attrs.filter((attribute) => attribute.name !== name);
}

export function getClasses(element: Element): readonly string[] {
  return (getAttribute(element, "class") ?? "").split(/\s+/).filter((name) => name !== "");
}

export function createElement(tagName: string, attributes: Readonly<Record<string, string>> = {}) {
  const attrs = Object.entries(attributes).map(([name, value]) => ({ name, value }));
  const element: Element = {
    nodeName: tagName,
    tagName,
    attrs,
    namespaceURI: html.NS.HTML,
    childNodes: [],
    parentNode: null,
  };
  return element;
}

/** Copies an element without its children. */
export function copyShell(element: Element): Element {
  return { ...element, attrs: element.attrs.map((each) => ({ ...each })), childNodes: [] };
}

/** Copies a node with all its descendants. The depth of a parsed page is limited. */
export function copyNode<Node extends ChildNode>(node: Node): Node {
  if (!isElement(node)) return { ...node };
  const copy = copyShell(node);
  for (const child of node.childNodes) append(copy, copyNode(child));
  return copy as Node;
}

export function createText(value: string): ChildNode {
  return { nodeName: "#text", value, parentNode: null };
}

export function append(parent: ParentNode, node: ChildNode): void {
  node.parentNode = parent;
  parent.childNodes.push(node);
}

/** Inserts nodes before another child of a parent, or at the parent's end. */
export function insertBefore(
  parent: ParentNode,
  nodes: readonly ChildNode[],
  next: ChildNode | undefined,
): void {
  for (const node of nodes) node.parentNode = parent;
  const index = next === undefined ? -1 : parent.childNodes.indexOf(next);
  parent.childNodes.splice(index < 0 ? parent.childNodes.length : index, 0, ...nodes);
}

/** Replaces all children of an element. */
export function setChildren(parent: ParentNode, nodes: readonly ChildNode[]): void {
  for (const node of nodes) node.parentNode = parent;
  parent.childNodes = [...nodes];
}

/** Returns all text in a node. */
export function getText(node: ChildNode): string {
  if ("value" in node) return node.value;
  if (!isElement(node)) return "";
  return node.childNodes.map(getText).join("");
}

/** Finds the first matching element, in document order. */
export function findElement(
  node: ChildNode | ParentNode,
  isMatch: (element: Element) => boolean,
): Element | undefined {
  const stack: (ChildNode | ParentNode)[] = [node];
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (isElement(next) && isMatch(next)) return next;
    if ("childNodes" in next) stack.push(...next.childNodes.toReversed());
  }
  return undefined;
}

/** Calls `visit` for each element within a node, and for the node itself. */
export function visitElements(node: ChildNode, visit: (element: Element) => void): void {
  if (!isElement(node)) return;
  visit(node);
  for (const child of node.childNodes) visitElements(child, visit);
}
