import { attributesOf, type Props, type RawAttribute, type RawNode } from "../page/index.ts";

/** HTML elements that a description may contain. Other names, such as `<token>`, are meant as text. */
const htmlElements: ReadonlySet<string> = new Set(
  "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul".split(
    " ",
  ),
);
const htmlAttributes: ReadonlySet<string> = new Set(
  "align alt colspan height href open rowspan src start title width".split(" "),
);

/** Components that show content in place. Those of a whole page, such as `Update` and `RequestExample`, are text. */
const components: ReadonlySet<string> = new Set(
  "Accordion AccordionGroup Badge Callout Card CardGroup Check CodeGroup Column Columns Danger Error Expandable Frame Icon Info Note ParamField ResponseField Step Steps Tab Tabs Tile Tip Tooltip Warning".split(
    " ",
  ),
);
/** A tag that ends an element. */
const endTag = /<\/([A-Z]\w*)\s*>|<([A-Z]\w*)(?:\s[^<>]*)?\/>/g;

/** Attributes that change where and how an element stands on the page, not what it says. */
const withheldAttributes: ReadonlySet<string> = new Set(["id", "class", "className", "style"]);

/** The components that a description uses. One that does not end is a text, as in `Promise<Error>`. */
export function componentsIn(text: string): ReadonlySet<string> {
  const names = Array.from(text.matchAll(endTag), ([, closed, empty]) => closed ?? empty ?? "");
  return new Set(names.filter((name) => components.has(name)));
}

export function isHtmlElement(name: string): boolean {
  return htmlElements.has(name);
}

/** The attributes of an element that is shown: texts and literal values; expressions are not evaluated. */
export function propsOf(node: RawNode): Props {
  const isComponent = components.has(node.name ?? "");
  const isShown = (name: string) =>
    isComponent ? !withheldAttributes.has(name) : htmlAttributes.has(name);
  const props: Record<string, string | number | boolean> = {};
  for (const attribute of attributesOf(node)) {
    if (attribute.type !== "mdxJsxAttribute" || !isShown(attribute.name)) continue;
    const value = isComponent ? literalOf(attribute) : textOf(attribute);
    // It would not stay a member of a copy.
    if (value !== undefined && attribute.name !== "__proto__") props[attribute.name] = value;
  }
  return props;
}

type Attribute = Extract<RawAttribute, { type: "mdxJsxAttribute" }>;

function textOf({ value }: Attribute): string | true {
  return typeof value === "string" ? value : true;
}

/** `{2}`, `{true}` and `{"text"}` as pages have them; undefined for any other expression. */
function literalOf({ value }: Attribute): string | number | boolean | undefined {
  if (value === null || value === undefined) return true;
  // In Markdown the braces belong to the text.
  const source = typeof value === "string" ? /^\{([^]*)\}$/.exec(value)?.[1] : value.value;
  if (source === undefined) return typeof value === "string" ? value : undefined;
  const text = source.trim();
  const quoted = /^(["'`])([^"'`\\$]*)\1$/.exec(text);
  if (quoted) return quoted[2] ?? "";
  if (text === "true" || text === "false") return text === "true";
  return /^-?\d{1,9}(?:\.\d{1,9})?$/.test(text) ? Number(text) : undefined;
}
