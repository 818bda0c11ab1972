const forbiddenNames =
  "script, iframe, object, embed, link, meta, form, video, audio, foreignObject img";

/**
 * Parses a drawing that Mermaid has already sanitized, and removes anything that could still run code or load
 * resources. Links to the site's own pages become relative. Returns undefined for text without a drawing.
 */
export function cleanDrawing(svg: string, rootPath: string): SVGSVGElement | undefined {
  const template = document.createElement("template");
  template.innerHTML = svg;
  const drawing = template.content.querySelector("svg");
  if (drawing === null) return undefined;
  for (const element of drawing.querySelectorAll(forbiddenNames)) element.remove();
  for (const element of [drawing, ...drawing.querySelectorAll("*")]) {
    for (const { name, value } of element.attributes) {
      if (name.startsWith("on")) element.removeAttribute(name);
      else if (/^(?:xlink:)?href$|^src$/.test(name))
        cleanAddress(element, { name, value, rootPath });
      else if (name === "style") element.setAttribute(name, cleanStyles(value));
    }
    if (element.localName === "style") element.textContent = cleanStyles(element.textContent);
  }
  return drawing;
}

interface Address {
  readonly name: string;
  readonly value: string;
  readonly rootPath: string;
}

function cleanAddress(element: Element, { name, value, rootPath }: Address): void {
  if (element.localName !== "a") {
    if (!value.startsWith("#") && !value.startsWith("data:image/")) element.removeAttribute(name);
    return;
  }
  const { protocol } = new URL(value, "https://example.com");
  element.removeAttribute(name);
  if (!/^(?:https?|mailto):$/.test(protocol)) return;
  element.setAttribute("href", value.startsWith("/") ? toFileUrl(value, rootPath) : value);
  element.setAttribute("rel", "noopener noreferrer");
}

/** Returns the address of a page's file. */
function toFileUrl(address: string, rootPath: string): string {
  const [, path = "", rest = ""] = /^\/*([^?#]*?)\/?((?:[?#].*)?)$/.exec(address) ?? [];
  const hasExtension = /\.\w+$/.test(path);
  return `${rootPath}${path === "" ? "index" : path}${hasExtension ? "" : ".html"}${rest}`;
}

function cleanStyles(css: string): string {
  return css
    .replaceAll(/@import[^;]*;?/gi, "")
    .replaceAll(/url\(\s*["']?(?!["'#])[^)]*\)/gi, "none");
}
