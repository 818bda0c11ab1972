import type { ElementNode, TreeNode } from "../page/index.ts";
import { isCode, createNameTest, splitChildren } from "./children.ts";
import { toCodeNode } from "./code-block.ts";
import type { Component, ComponentContext } from "./component.ts";
import {
  joinAttributes,
  joinClassNames,
  escapeHtml,
  html,
  joinHtml,
  wrapInElement,
  type Html,
} from "../markup/index.ts";
import { readClassProp, readFlagProp, readNumberProp, readTextProp } from "./props.ts";

/**
 * The panel of a tab. Without scripts, panels are consecutive sections, each below its title. The client script finds
 * `[data-tabs]`, creates a list of tabs from the titles of its `.tab-panel` children, and hides all panels except one.
 * Tabs and code groups on a page with the same `data-title` switch together.
 */
interface Panel {
  readonly id: string | undefined;
  /** The title as plain text. */
  readonly title: string;
  readonly titleHtml: Html;
  readonly content: Html;
}

function renderPanel(panel: Panel): Html {
  const attributes = joinAttributes({
    class: "tab-panel",
    id: panel.id,
    "data-title": panel.title,
  });
  return html`<section${attributes}><div class="tab-title">${panel.titleHtml}</div>${panel.content}</section>`;
}

function renderTab(element: ElementNode, context: ComponentContext): Html {
  const { props, position } = element;
  const title = context.getText(props.title).trim() || "Tab";
  const type = readTextProp(props, "iconType");
  const icon = context.renderIcon(props.icon, type === undefined ? {} : { type }, position);
  const authoredId = readTextProp(props, "id");
  return renderPanel({
    id:
      authoredId === undefined
        ? context.ids.claim(title)
        : context.ids.claim(authoredId, { isExact: true }),
    title,
    titleHtml: html`${icon}${context.renderValue(props.title, position) || escapeHtml(title)}`,
    content: wrapInElement("div", "tab-content", context.renderNodes(element.children)),
  });
}

const isTab = createNameTest("Tab");

export const tabs: Component = {
  names: ["Tabs"],
  render(element, context) {
    const { props } = element;
    const firstIndex = readNumberProp(props, "defaultTabIndex", { min: 0, max: 999 });
    const attributes = joinAttributes({
      class: joinClassNames(
        "tabs",
        readFlagProp(props, "borderBottom") === true && "tabs-bordered",
        readClassProp(props),
      ),
      "data-tabs": true,
      "data-sync": readFlagProp(props, "sync") === false ? "false" : undefined,
      "data-first": firstIndex === undefined || firstIndex === 0 ? undefined : String(firstIndex),
    });
    const parts = splitChildren(element.children, isTab);
    let index = 0;
    const markup = parts.map((part) => {
      if (part.kind === "rest") return context.renderNodes(part.nodes);
      const isShown = index++ === (firstIndex ?? 0);
      const render = () => renderTab(part.node, context);
      return isShown ? render() : context.outline.renderHidden(render);
    });
    return html`<div${attributes}>${joinHtml(markup)}</div>`;
  },
};

const isCodeBlock = createNameTest("CodeBlock");

/** A tab outside Tabs, which is rendered as a section with its title. */
export const tab: Component = { names: ["Tab"], render: renderTab };

/** Renders fences as tabs titled with their labels. The position of other content does not change. */
function renderCodeGroup(
  nodes: readonly TreeNode[],
  context: ComponentContext,
  options: { readonly isDropdown: boolean; readonly className?: string | undefined },
): Html {
  const attributes = joinAttributes({
    class: joinClassNames("tabs code-group", options.className),
    "data-tabs": true,
    "data-dropdown": options.isDropdown,
  });
  const markup = splitChildren(nodes, (node) => isCode(node) || isCodeBlock(node)).map((part) => {
    if (part.kind === "rest") return context.renderNodes(part.nodes);
    const code = isCode(part.node) ? part.node : toCodeNode(part.node);
    const title = context.code.getLabel(code).trim() || "Code";
    const titleHtml = html`${context.code.renderIcon(code)}${escapeHtml(title)}`;
    return renderPanel({ id: undefined, title, titleHtml, content: context.code.render(code) });
  });
  return html`<div${attributes}>${joinHtml(markup)}</div>`;
}

export const codeGroup: Component = {
  names: ["CodeGroup"],
  render: ({ props, children }, context) =>
    renderCodeGroup(children, context, {
      isDropdown: readFlagProp(props, "dropdown") === true,
      className: readClassProp(props),
    }),
};

function createExample(name: string, kind: "request" | "response"): Component {
  return {
    names: [name],
    render({ props, children }, context) {
      const isDropdown = readFlagProp(props, "dropdown") === true;
      const group = renderCodeGroup(children, context, { isDropdown });
      return html`<aside class="example"${joinAttributes({ "data-example": kind })}>${group}</aside>`;
    },
  };
}

/** Code that a wide page shows next to the text. The layout finds it by `data-example`. */
export const exampleComponents: readonly Component[] = [
  createExample("RequestExample", "request"),
  createExample("ResponseExample", "response"),
];
