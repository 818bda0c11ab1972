import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseFragment, serialize, type DefaultTreeAdapterTypes as Dom } from "parse5";
import {
  elementNode,
  fence,
  inlineElement,
  list,
  markdown,
  paragraph,
  renderOnPage,
  text,
} from "../../../../test/support/hand-written-tree.ts";
import type { ElementNode, PropValue, TreeNode } from "../page/index.ts";
import { components } from "./index.ts";

type Found = Dom.Element;

/** Returns all descendants with a class or a name, in document order. */
function findAll(html: string, selector: string): Found[] {
  const found: Found[] = [];
  function visit(node: Dom.ParentNode): void {
    for (const child of node.childNodes) {
      if (!("tagName" in child)) continue;
      const isMatch = selector.startsWith(".")
        ? attribute(child, "class")?.split(" ").includes(selector.slice(1)) === true
        : child.tagName === selector;
      if (isMatch) found.push(child);
      visit(child);
    }
  }
  visit(parseFragment(html));
  return found;
}

function find(html: string, selector: string): Found {
  const [first] = findAll(html, selector);
  assert.ok(first, `no ${selector} in ${html}`);
  return first;
}

function attribute(node: Found, name: string): string | undefined {
  return node.attrs.find((attribute) => attribute.name === name)?.value;
}

function textIn(node: Dom.ParentNode): string {
  return node.childNodes
    .map((child) => {
      if ("value" in child) return child.value;
      return "childNodes" in child ? textIn(child) : "";
    })
    .join("");
}

async function render(node: TreeNode): Promise<string> {
  return (await renderOnPage(node)).html;
}

const tagForm = /<(\/?[a-z][a-z0-9]*)/g;

/** Fails if a browser would build a different tree from the one that was authored. */
function assertValid(html: string): void {
  const errors: string[] = [];
  const dom = parseFragment(html, { onParseError: (error) => errors.push(error.code) });
  const written = Array.from(html.matchAll(tagForm), ([tag]) => tag);
  const built = Array.from(serialize(dom).matchAll(tagForm), ([tag]) => tag);
  assert.deepEqual(built, written, html);
  assert.deepEqual(errors, [], html);
  for (const anchor of findAll(html, "a"))
    assert.equal(findAll(serialize(anchor), "a").length, 0, `anchor in anchor: ${html}`);
}

/** The expected output of an element: selectors, each with the text or an attribute of the first match. */
interface Case {
  readonly node: ElementNode;
  readonly texts?: Readonly<Record<string, string>>;
  readonly attributes?: Readonly<Record<string, Readonly<Record<string, string | undefined>>>>;
  /** The number of matches, by selector. */
  readonly counts?: Readonly<Record<string, number>>;
}

const jsx = (...nodes: TreeNode[]): PropValue => ({ type: "jsx", nodes });

const cases: Readonly<Record<string, Case>> = {
  "Card with everything": {
    node: elementNode(
      "Card",
      {
        title: "Start",
        href: "/start",
        icon: "rocket",
        color: "FF713C",
        cta: "Go",
        img: "/images/a.png",
      },
      text("Words"),
    ),
    texts: { ".card-title": "Start", ".card-content": "Words", ".card-cta": "Go" },
    attributes: {
      ".box-link": { href: "start.html" },
      ".icon": { class: "icon i-fa-solid-rocket", style: "--icon-size:22px;color:#FF713C" },
      ".card-image": { src: "images/a.png", alt: "" },
    },
    counts: { a: 1, ".card-arrow": 0 },
  },
  "Card to another host has an arrow": {
    node: elementNode("Card", { title: "Out", href: "https://example.com" }),
    counts: { ".card-arrow": 1, ".card-content": 0 },
  },
  "Card arrow as the string false": {
    node: elementNode("Card", { title: "Out", href: "https://example.com", arrow: "false" }),
    counts: { ".card-arrow": 0 },
  },
  "Card arrow as the string true": {
    node: elementNode("Card", { title: "In", href: "/in", arrow: "true" }),
    counts: { ".card-arrow": 1 },
  },
  "Card whose call has no arrow": {
    node: elementNode("Card", { title: "In", href: "/in", cta: "Go", arrow: "false" }),
    attributes: { ".card-cta": { class: "card-cta card-cta-plain" } },
  },
  "Card with a drawn icon": {
    node: elementNode("Card", { title: "T", icon: jsx(elementNode("svg", {})), color: "f00" }),
    attributes: { ".icon": { class: "icon icon-drawing", style: "--icon-size:22px;color:#f00" } },
    counts: { svg: 1 },
  },
  "Card with a drawn icon of a size": {
    node: elementNode("Card", {
      title: "T",
      icon: jsx(elementNode("svg", { width: "40", height: 40 })),
    }),
    attributes: { ".icon": { style: "--icon-size:40px" } },
  },
  "Card without link": {
    node: elementNode("Card", { title: "Plain", arrow: true, horizontal: "true" }),
    attributes: { ".card": { class: "card card-horizontal", "data-link": undefined } },
    counts: { a: 0, ".card-arrow": 0 },
  },
  "Card without title is named by its content": {
    node: elementNode("Card", { href: "/x" }, text("What it says")),
    attributes: { ".box-link": { "aria-label": "What it says" } },
  },
  "Card with a link in its title": {
    node: elementNode("Card", {
      href: "/next",
      title: jsx(markdown("link", { url: "/start" }, text("there"))),
    }),
    attributes: { ".box-link": { "aria-label": "there", href: "next.html" } },
    counts: { a: 2 },
  },
  "Card of a type": {
    node: elementNode("Card", { title: "Beware", type: "Warning" }),
    attributes: {
      ".card": { class: "card tone-warning" },
      ".icon": { class: "icon i-lucide-triangle-alert" },
    },
  },
  Tile: {
    node: elementNode("Tile", { href: "/next#a", title: "T", description: "D" }, text("picture")),
    texts: { ".tile-preview": "picture", ".tile-title": "T", ".tile-text": "D" },
    attributes: { ".box-link": { href: "next.html#a" } },
  },
  "CodeBlock with everything": {
    node: elementNode(
      "CodeBlock",
      { language: "text", filename: 'a "b".txt', lines: "true", highlight: "[2]", nocopy: true },
      paragraph(text("one\ntwo")),
    ),
    texts: { ".code-title": "a 'b'.txt", code: "one\ntwo", ".marked": "two" },
    attributes: { ".code": { "data-lang": "text", "data-no-copy": "" } },
  },
  "CodeGroup of fences and blocks, with an icon": {
    node: elementNode(
      "CodeGroup",
      { dropdown: "true" },
      fence("text", 'First icon="rocket"', "a"),
      elementNode("CodeBlock", { filename: "Second" }, text("b")),
    ),
    attributes: { ".code-group": { "data-dropdown": "" }, ".tab-panel": { "data-title": "First" } },
    counts: { ".tab-panel": 2, ".icon": 1, ".code-title": 0 },
  },
  "Columns by a number": {
    node: elementNode("Columns", { cols: 3 }, elementNode("Column", {}, text("a"))),
    attributes: { ".columns": { style: "--cols:3" } },
    texts: { ".column": "a" },
  },
  "CardGroup by a string": {
    node: elementNode("CardGroup", { cols: "4" }),
    attributes: { ".columns": { style: "--cols:4" } },
  },
  "CardGroup of too many columns": {
    node: elementNode("CardGroup", { cols: 400 }),
    attributes: { ".columns": { style: "--cols:6" } },
  },
  Note: {
    node: elementNode("Note", {}, text("Hear")),
    attributes: {
      ".callout": { class: "callout tone-note", role: "note", "aria-label": "Note" },
    },
    texts: { ".callout-body": "Hear" },
  },
  "Callout of the author's color": {
    node: elementNode("Callout", { icon: "key", color: "#FFC107" }, text("x")),
    attributes: {
      ".callout": { class: "callout tone-custom", style: "--tone:#FFC107" },
      ".icon": { class: "icon i-fa-solid-key" },
    },
  },
  "Callout of a type": {
    node: elementNode("Callout", { type: "danger" }, text("x")),
    attributes: { ".callout": { class: "callout tone-danger" } },
  },
  "Steps in paragraphs and fragments": {
    node: elementNode(
      "Steps",
      { titleSize: "h3" },
      paragraph(inlineElement("Step", { title: "One" }, text("a")), text("\n")),
      elementNode("", {}, elementNode("Step", { title: "Two", titleSize: "p" }, text("b"))),
      paragraph(text("between")),
      elementNode("Step", { title: "Three", id: "my-Step", stepNumber: "7", noAnchor: true }),
    ),
    counts: { ".step": 3, h3: 2, ".step-rest": 1, ".step-anchor": 2 },
    texts: { ".step-content": "a", ".step-rest": "between" },
    attributes: { ".step": { id: "one", role: "listitem" }, ".steps": { role: "list" } },
  },
  "Step on its own": {
    node: elementNode("Step", { title: "One", icon: "rocket" }),
    attributes: { ".step": { role: undefined } },
    counts: { ".step-icon": 1 },
  },
  Tabs: {
    node: elementNode(
      "Tabs",
      { sync: "false", defaultTabIndex: "1", borderBottom: true },
      text("\n"),
      paragraph(inlineElement("Tab", { title: "One", icon: "leaf" }, text("a"))),
      elementNode("Tab", { title: "Two", id: "Second" }, paragraph(text("b"))),
      paragraph(text("kept")),
    ),
    attributes: {
      ".tabs": {
        class: "tabs tabs-bordered",
        "data-tabs": "",
        "data-sync": "false",
        "data-first": "1",
      },
      ".tab-panel": { id: "one", "data-title": "One" },
    },
    counts: { ".tab-panel": 2, ".tab-title": 2 },
    texts: { ".tab-title": "One", ".tab-content": "a" },
  },
  "CodeGroup with something else in it": {
    node: elementNode(
      "CodeGroup",
      { dropdown: true },
      fence("js", "a.js", "1"),
      elementNode("Note", {}, text("note")),
      elementNode("", {}, fence("py", "", "2")),
    ),
    attributes: {
      ".code-group": { "data-tabs": "", "data-dropdown": "" },
      ".tab-panel": { "data-title": "a.js", id: undefined },
    },
    counts: { ".tab-panel": 2, ".code": 2, ".callout": 1 },
  },
  RequestExample: {
    node: elementNode("RequestExample", {}, fence("bash", "Request", "curl")),
    attributes: { ".example": { "data-example": "request" } },
    texts: { ".tab-title": "Request", ".code": "curl" },
  },
  Accordion: {
    node: elementNode(
      "Accordion",
      { title: "More", description: "of it", defaultOpen: "true", icon: "github" },
      text("content"),
    ),
    attributes: {
      ".accordion": { id: "more", open: "" },
      ".icon": { class: "icon i-fa-brands-github" },
    },
    texts: { ".fold-title": "More", ".fold-description": "of it", ".fold-content": "content" },
  },
  "Accordion that says it is closed": {
    node: elementNode("Accordion", { title: "x", id: "Own", defaultOpen: "false" }),
    attributes: { ".accordion": { id: "Own", open: undefined } },
  },
  "AccordionGroup with a title": {
    node: elementNode("AccordionGroup", { title: "All" }, elementNode("Accordion", { title: "x" })),
    texts: { ".accordion-group-title": "All" },
    counts: { ".accordion": 1 },
  },
  "Expandable without title": {
    node: elementNode("Expandable", { defaultOpen: true }),
    attributes: { ".expandable": { open: "", id: "details" } },
  },
  Frame: {
    node: elementNode(
      "Frame",
      { caption: "A **bold** one", hint: "before", style: { textAlign: "center" } },
      elementNode("video", { autoPlay: true, src: "/v.mp4" }),
    ),
    attributes: {
      ".frame": { style: "text-align:center" },
      video: { playsinline: "", loop: "", muted: "" },
    },
    texts: { strong: "bold", ".frame-hint": "before", ".frame-caption": "A bold one" },
  },
  "Frame of a video that waits": {
    node: elementNode("Frame", {}, elementNode("video", { src: "/v.mp4" })),
    attributes: { video: { muted: undefined } },
    counts: { ".frame-caption": 0 },
  },
  ParamField: {
    node: elementNode(
      "ParamField",
      { path: "project.id", type: "string", required: true, default: 0, placeholder: "p1" },
      text("Which"),
    ),
    attributes: { ".field-head": { id: "param-project-id" }, a: { href: "#param-project-id" } },
    texts: {
      ".field-name": "project.id",
      ".field-location": "path",
      ".field-required": "required",
      ".field-default": "default: 0",
      ".field-placeholder": "Example: p1",
      ".field-content": "WhichExample: p1",
    },
  },
  "ParamField that names its place and itself apart": {
    node: elementNode("ParamField", {
      query: true,
      name: "page",
      type: "number",
      optional: "true",
    }),
    texts: { ".field-name": "page", ".field-location": "query", ".field-optional": "optional" },
    attributes: { ".field-head": { id: "param-page" } },
  },
  "ParamField that is required and optional is required": {
    node: elementNode("ParamField", { body: "a", required: true, optional: true }),
    counts: { ".field-required": 1, ".field-optional": 0 },
  },
  "ResponseField named in camel case": {
    node: elementNode("ResponseField", { name: "data.invoiceId", type: "string" }),
    attributes: { ".field-head": { id: "param-data-invoice-id" } },
  },
  "ResponseField with labels": {
    node: elementNode("ResponseField", {
      name: "a",
      type: "object",
      deprecated: "true",
      required: "false",
      default: ["x", 1],
      pre: ["before"],
      post: "after",
    }),
    texts: { ".field-default": 'default: ["x",1]', ".field-label": "before" },
    counts: { ".field-deprecated": 1, ".field-required": 0, ".field-label": 4 },
  },
  Icon: {
    node: inlineElement("Icon", { icon: "flag", size: "32", className: "mine" }),
    attributes: { ".icon": { class: "icon i-fa-solid-flag mine", style: "--icon-size:32px" } },
  },
  "Icon of a size in letters": {
    node: inlineElement("Icon", { icon: "flag", size: "2em" }),
    attributes: { ".icon": { style: undefined } },
  },
  "Icon that the author drew": {
    node: inlineElement("Icon", {
      icon: { type: "jsx", nodes: [inlineElement("svg", { viewBox: "0 0 9 9", onClick: "x" })] },
      size: "20px",
      color: "0a0",
      className: "mine",
    }),
    attributes: {
      ".icon": { class: "icon icon-drawing mine", style: "--icon-size:20px;color:#0a0" },
      svg: { viewBox: "0 0 9 9", onclick: undefined, onClick: undefined },
    },
  },
  "Icon whose drawing has a size": {
    node: inlineElement("Icon", {
      icon: jsx(elementNode("svg", { height: "28px", width: "2em" })),
    }),
    attributes: { ".icon": { style: "--icon-size:28px" } },
  },
  "Icon whose drawing is larger than what is asked for": {
    node: inlineElement("Icon", { icon: jsx(elementNode("svg", { width: 400 })), size: 20 }),
    attributes: { ".icon": { style: "--icon-size:20px" } },
  },
  "Icon sized by its style": {
    node: inlineElement("Icon", { icon: "flag", style: "width: 14px; height: 14px;" }),
    attributes: { ".icon": { style: "--icon-size:14px" } },
  },
  "Icon of a file": {
    node: inlineElement("Icon", { src: "/images/my.svg" }),
    attributes: { img: { src: "images/my.svg", alt: "" } },
  },
  Badge: {
    node: inlineElement(
      "Badge",
      { color: "green", size: "lg", shape: "pill", stroke: true, disabled: "true" },
      text("New"),
    ),
    attributes: {
      ".badge": { class: "badge badge-green badge-lg badge-pill badge-stroke badge-disabled" },
    },
    texts: { ".badge": "New" },
  },
  "Badge of a free color, on lines of its own": {
    node: elementNode("Badge", { color: "#123456" }, paragraph(text("New"))),
    attributes: { ".badge": { style: "--tone:#123456" } },
    counts: { p: 0 },
  },
  Tooltip: {
    node: inlineElement(
      "Tooltip",
      { tip: "What it is", headline: "API", cta: "Read", href: "/next" },
      text("API"),
    ),
    attributes: {
      ".tooltip-term": { tabindex: "0", "aria-describedby": "tooltip-api" },
      ".tooltip-body": { id: "tooltip-api", role: "tooltip" },
      a: { href: "next.html" },
    },
    texts: { ".tooltip-text": "What it is", ".tooltip-headline": "API" },
  },
  Update: {
    node: elementNode(
      "Update",
      { label: "March 2025", description: "v2", tags: ["A", "B"] },
      paragraph(text("New")),
    ),
    attributes: {
      ".update": { id: "march-2025", class: "update update-tag-1 update-tag-2" },
      ".update-label": { href: "#march-2025" },
    },
    texts: { ".update-label": "March 2025", ".update-description": "v2", ".update-content": "New" },
    counts: { ".badge": 2 },
  },
  "Tree of components": {
    node: elementNode(
      "Tree",
      {},
      elementNode(
        "Tree.Folder",
        { name: "app", defaultOpen: "true" },
        elementNode("Tree.File", { name: "a.ts", highlight: true, comment: "first" }),
      ),
      elementNode(
        "Tree.Folder",
        { name: "fixed", openable: false },
        elementNode("Tree.File", { name: "b" }),
      ),
      elementNode("Tree.File", { name: "c" }),
    ),
    attributes: { details: { open: "" } },
    counts: { details: 1, ".tree-file": 3, ".tree-folder": 2, ".tree-highlight": 1 },
    texts: { ".tree-comment": "first" },
  },
  "FileTree of a list": {
    node: elementNode("FileTree", {}, list(["docs/", ["index.mdx", "guides", ["a.mdx"]], "x.ts"])),
    counts: { details: 2, ".tree-folder": 2, ".tree-file": 3 },
    texts: { ".tree-name": "docs" },
  },
  "Visibility for readers": {
    node: elementNode("Visibility", { for: "humans" }, elementNode("Note", {}, text("seen"))),
    texts: { ".callout-body": "seen" },
  },
  "Visibility for programs": {
    node: elementNode("Visibility", { for: "agents" }, elementNode("Note", {}, text("unseen"))),
    counts: { ".callout": 0 },
  },
  View: {
    node: elementNode("View", { title: "Python", icon: "python" }, text("content")),
    attributes: { ".view": { "data-view": "Python" } },
    texts: { ".view-title": "Python" },
  },
  Panel: {
    node: elementNode("Panel", {}, elementNode("Info", {}, text("x"))),
    attributes: { ".panel": { "data-panel": "" } },
  },
  Prompt: {
    node: elementNode(
      "Prompt",
      { description: "Write **well**", actions: ["copy", "cursor"], icon: "paperclip" },
      paragraph(text("You are a "), markdown("strong", {}, text("writer")), text(".")),
      list(["be clear", ["really"], "be short"]),
    ),
    texts: {
      ".prompt-text": "You are a **writer**.\n\n- be clear\n  - really\n- be short",
      ".prompt-description": "Write well",
    },
    attributes: {
      ".prompt": { "data-prompt": "" },
      ".prompt-actions": { "data-actions": "copy cursor" },
    },
  },
  "Color with themes": {
    node: elementNode(
      "Color",
      { variant: "table" },
      elementNode(
        "Color.Row",
        { title: "Row" },
        elementNode("Color.Item", { name: "bg", value: { light: "#fff", dark: "#000" } }),
      ),
    ),
    attributes: { ".color-swatch": { style: "--swatch:#fff;--swatch-dark:#000" } },
    texts: {
      ".color-title": "Row",
      ".color-name": "bg",
      ".color-light": "#fff",
      ".color-dark": "#000",
    },
  },
  "Color of a function": {
    node: elementNode("Color.Item", { name: "a", value: "oklch(70% 0.2 145)" }),
    attributes: { ".color-swatch": { style: "--swatch:oklch(70% 0.2 145)" } },
  },
  Latex: {
    node: inlineElement("Latex", {}, text("a < b")),
    texts: { annotation: "a < b" },
    counts: { pre: 0 },
  },
  "GitHub.Repo by its address": {
    node: elementNode("GitHub.Repo", { repo: "https://github.com/a/b.git" }),
    texts: { ".card-title": "a/b" },
    attributes: { ".box-link": { href: "https://github.com/a/b" } },
  },
};

describe("each component", () => {
  for (const [name, { node, texts, attributes, counts }] of Object.entries(cases)) {
    test(name, async () => {
      const html = await render(node);
      assertValid(html);
      for (const [selector, expected] of Object.entries(texts ?? {}))
        assert.equal(textIn(find(html, selector)), expected, selector);
      for (const [selector, expected] of Object.entries(attributes ?? {})) {
        for (const [key, value] of Object.entries(expected))
          assert.equal(attribute(find(html, selector), key), value, `${selector} ${key}`);
      }
      for (const [selector, count] of Object.entries(counts ?? {}))
        assert.equal(findAll(html, selector).length, count, selector);
    });
  }

  test("has names of its own", () => {
    const names = components.flatMap((component) => component.names);
    assert.equal(new Set(names).size, names.length);
  });
});

describe("what a component reports to its page", () => {
  test("ids are unique and titles are link targets", async () => {
    const tabs = elementNode("Tabs", {}, elementNode("Tab", { title: "One" }));
    const { anchors } = await renderOnPage(tabs, tabs, elementNode("Accordion", { title: "More" }));
    assert.deepEqual(anchors, ["one", "one-2", "more"]);
  });

  test("updates and steps with headings are in the table of contents", async () => {
    const { outline } = await renderOnPage(
      elementNode("Update", { label: "May" }),
      elementNode(
        "Steps",
        { titleSize: "h3" },
        elementNode("Step", { title: "First" }),
        elementNode("Step", { title: "Second", titleSize: "p" }),
      ),
    );
    assert.deepEqual(outline, [
      { depth: 2, id: "may", text: "May" },
      { depth: 3, id: "first", text: "First" },
    ]);
  });

  test("links and pictures are recorded as authored", async () => {
    const { references } = await renderOnPage(
      elementNode("Card", { title: "x", href: "/start#b", img: "/images/a.png" }),
    );
    assert.deepEqual(
      references.map(({ kind, target }) => `${kind} ${target}`),
      ["link /start#b", "media /images/a.png"],
    );
  });

  test("icons are rendered by name, an unknown one with a warning", async () => {
    const { icons, problems } = await renderOnPage(
      elementNode("Card", { title: "x", icon: "rocket" }),
      elementNode("Note", { icon: "no-such-icon" }),
    );
    assert.deepEqual(icons, ["fa-solid:rocket", "lucide:circle-dashed"]);
    assert.match(problems[0]?.message ?? "", /no-such-icon/);
  });

  test("an invalid value is a warning that says what to write", async () => {
    const told: readonly [ElementNode, RegExp][] = [
      [elementNode("Icon"), /names no icon/],
      [elementNode("Visibility", { for: "robots" }), /for="humans"/],
      [elementNode("Color.Item", { value: "url(x)" }), /is not a color/],
      [elementNode("ParamField", {}), /has no name/],
      [elementNode("Callout", { type: "shout" }), /no callout of type/],
      [elementNode("GitHub.Repo", { repo: "x" }), /owner\/name/],
    ];
    for (const [node, sentence] of told) {
      const { problems } = await renderOnPage(node);
      assert.equal(problems.length, 1);
      assert.match(problems[0]?.message ?? "", sentence);
    }
  });
});

/** The attributes that at least one component reads. */
const attributeNames = [
  ..."title href icon iconType cta arrow horizontal color img description type cols titleSize".split(
    " ",
  ),
  ..."stepNumber id noAnchor sync defaultTabIndex borderBottom dropdown defaultOpen caption hint".split(
    " ",
  ),
  ..."style path query body header name required default deprecated placeholder pre post size src".split(
    " ",
  ),
  ..."className shape stroke disabled tip headline label tags openable highlight comment for".split(
    " ",
  ),
  ..."actions variant value repo light dark rss".split(" "),
];

const oddValues: readonly PropValue[] = [
  "",
  " ",
  "\0",
  '"><script>alert(1)</script>',
  "</style></summary></details>",
  "url(javascript:alert(1));position:fixed",
  "\ud800",
  "x".repeat(100_000),
  "__proto__",
  "constructor",
  0,
  -1,
  1e308,
  Number.NaN,
  true,
  false,
  null,
  [],
  [[["deep"]], null, { a: [1] }],
  {},
  { type: "jsx", nodes: [] },
  { light: 1, dark: {} },
  { name: "constructor", style: [], library: "x" },
  { type: "jsx", nodes: [elementNode("Card", { title: "in a prop" }), text("<b>")] },
];

function assertHarmless(html: string): void {
  assert.doesNotMatch(html, /\bundefined\b|\[object|\0/);
  assert.equal(findAll(html, "script").length, 0, html);
  for (const [, style = ""] of html.matchAll(/ style="([^"]*)"/g))
    assert.doesNotMatch(style, /url|script|[<>]/);
}

describe("odd values", () => {
  const names = components.flatMap((component) => component.names);
  const children: readonly (readonly TreeNode[])[] = [
    [],
    [text("\n")],
    [paragraph(text("words"))],
    [markdown("list", {}), markdown("unknown", { value: "3" }), fence("js", "a", "b")],
  ];
  for (const name of names) {
    test(name, async () => {
      for (const value of oddValues) {
        for (const nodes of children) {
          const props = Object.fromEntries(attributeNames.map((attribute) => [attribute, value]));
          assertHarmless(await render(elementNode(name, props, ...nodes)));
        }
      }
    });
    test(`${name}, one attribute at a time`, async () => {
      for (const attribute of attributeNames) {
        const nodes = oddValues.map((value) =>
          elementNode(name, { [attribute]: value }, text("x")),
        );
        assertHarmless((await renderOnPage(...nodes)).html);
      }
    });
  }
});

describe("nesting", () => {
  const boxes: Readonly<Record<string, (...children: TreeNode[]) => ElementNode>> = {
    CardGroup: (...children) => elementNode("CardGroup", { cols: 2 }, ...children),
    Card: (...children) => elementNode("Card", { title: "c", href: "/c" }, ...children),
    Note: (...children) => elementNode("Note", {}, ...children),
    Steps: (...children) =>
      elementNode("Steps", {}, elementNode("Step", { title: "s" }, ...children)),
    LooseSteps: (...children) => elementNode("Steps", {}, ...children),
    Tabs: (...children) => elementNode("Tabs", {}, elementNode("Tab", { title: "t" }, ...children)),
    CodeGroup: (...children) => elementNode("CodeGroup", {}, fence("js", "a", "1"), ...children),
    Accordion: (...children) => elementNode("Accordion", { title: "a" }, ...children),
    Frame: (...children) => elementNode("Frame", { caption: "f" }, ...children),
    ParamField: (...children) => elementNode("ParamField", { body: "p" }, ...children),
    Expandable: (...children) => elementNode("Expandable", { title: "e" }, ...children),
    Tree: (...children) =>
      elementNode("Tree", {}, elementNode("Tree.Folder", { name: "f" }, ...children)),
    Update: (...children) => elementNode("Update", { label: "u" }, ...children),
    View: (...children) => elementNode("View", { title: "v" }, ...children),
    Color: (...children) => elementNode("Color", {}, ...children),
    Visibility: (...children) => elementNode("Visibility", { for: "humans" }, ...children),
    Panel: (...children) => elementNode("Panel", {}, ...children),
    RequestExample: (...children) => elementNode("RequestExample", {}, ...children),
    Tile: (...children) => elementNode("Tile", { href: "/t", title: "t" }, ...children),
    Column: (...children) => elementNode("Column", {}, ...children),
    Link: (...children) => elementNode("div", {}, markdown("link", { url: "/l" }, ...children)),
  };
  for (const [outer, wrapOuter] of Object.entries(boxes)) {
    test(`everything within ${outer}`, async () => {
      for (const wrapInner of Object.values(boxes)) {
        const core = paragraph(
          text("core "),
          inlineElement("Badge", {}, text("b")),
          inlineElement("Tooltip", { tip: "t", cta: "c", href: "/h" }, text("w")),
        );
        const html = await render(wrapOuter(text("\n"), wrapInner(core), text("\n")));
        assertValid(html);
        assert.match(html, /core/);
      }
    });
  }

  test("a thousand steps and 400 levels", async () => {
    const steps = Array.from({ length: 1_000 }, (_, n) => elementNode("Step", { title: `s${n}` }));
    assert.equal(findAll(await render(elementNode("Steps", {}, ...steps)), ".step").length, 1_000);
    let deep: TreeNode = text("core");
    for (let level = 0; level < 400; level++) deep = elementNode("Accordion", { title: "a" }, deep);
    assert.match(await render(deep), /core/);
  });
});
