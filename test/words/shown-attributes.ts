/** Attributes of the format's components that readers see, by the components that have them. */
const ofComponents: readonly (readonly [components: string, attributes: string])[] = [
  ["Card Tile", "title description cta"],
  ["Accordion Expandable", "title description"],
  ["AccordionGroup Step Tab View Color.Row", "title"],
  ["Note Tip Info Warning Check Danger Callout", "title"],
  ["Frame", "caption hint"],
  ["ParamField", "path query body header name type default placeholder pre post"],
  ["ResponseField", "name type default placeholder pre post"],
  ["Update", "label description tags"],
  ["Tooltip", "tip headline cta"],
  ["Prompt", "description"],
  ["Tree.Folder Tree.File", "name comment"],
  ["Color.Item", "name value"],
  ["CodeBlock", "title filename"],
  ["GitHub.Repo", "repo"],
];

/** Components without attributes of text. */
const others = `Badge CardGroup CodeGroup Color Column Columns FileTree Fragment Icon Latex Panel RequestExample
  ResponseExample Snippet Steps Tabs Tree Visibility`;

const byComponent = new Map<string, ReadonlySet<string>>([
  ...others.split(/\s+/).map((name) => [name, new Set<string>()] as const),
  ["img", new Set(["alt", "aria-label", "ariaLabel"])],
  ...ofComponents.flatMap(([names, attributes]) =>
    names.split(" ").map((name) => [name, new Set(attributes.split(" "))] as const),
  ),
]);

const ofHtml = new Set("alt title aria-label ariaLabel placeholder label summary".split(" "));

/** Whether readers are shown or told the value of an attribute. */
export function isShownAttribute(element: string, attribute: string): boolean {
  const known = byComponent.get(element) ?? (/^[a-z]/.test(element) ? ofHtml : undefined);
  return known?.has(attribute) ?? false;
}

/** Components of the format, and elements of HTML. */
export function isKnownElement(name: string): boolean {
  return byComponent.has(name) || /^[a-z]/.test(name);
}
