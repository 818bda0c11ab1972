/** The React attribute names whose HTML names are not simply their lowercase forms. */
const htmlNames: Readonly<Record<string, string>> = {
  className: "class",
  htmlFor: "for",
  httpEquiv: "http-equiv",
  acceptCharset: "accept-charset",
  defaultValue: "value",
  defaultChecked: "checked",
  xlinkHref: "xlink:href",
  xmlnsXlink: "xmlns:xlink",
  xmlSpace: "xml:space",
  xmlLang: "xml:lang",
};

/** The SVG attributes with hyphens, which are camel case in React. All other SVG attributes keep their case. */
const hyphenatedAttributes = new Set(
  `alignment-baseline baseline-shift clip-path clip-rule color-interpolation
  color-interpolation-filters dominant-baseline enable-background fill-opacity fill-rule flood-color
  flood-opacity font-family font-size font-style font-variant font-weight glyph-orientation-vertical
  image-rendering letter-spacing lighting-color marker-end marker-mid marker-start paint-order
  pointer-events shape-rendering stop-color stop-opacity stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor
  text-decoration text-rendering transform-origin vector-effect word-spacing writing-mode`.split(
    /\s+/,
  ),
);

/** The elements whose attributes keep their case (`viewBox`). They occur only in SVG. */
const svgElements = new Set(
  `svg g path circle ellipse line polyline polygon rect text tspan textPath defs use symbol marker mask
  pattern clipPath linearGradient radialGradient stop image filter foreignObject animate
  animateTransform animateMotion mpath set switch view desc metadata feBlend feColorMatrix
  feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode
  feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`.split(
    /\s+/,
  ),
);

/** The React properties that have no meaning in HTML. */
const reactOnlyProperties = new Set([
  "children",
  "dangerouslySetInnerHTML",
  "key",
  "ref",
  "suppressContentEditableWarning",
  "suppressHydrationWarning",
]);

const validName = /^[A-Za-z_][\w.:-]*$/;

export function isSvgElement(name: string): boolean {
  return svgElements.has(name);
}

/**
 * Finds the HTML name of an attribute in React's or HTML's spelling: `className`, `strokeWidth`, `autoPlay`. Returns
 * undefined if it is not an attribute.
 */
export function findAttributeName(name: string, element: string): string | undefined {
  if (!validName.test(name) || reactOnlyProperties.has(name)) return undefined;
  if (Object.hasOwn(htmlNames, name)) return htmlNames[name];
  const hyphens = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (hyphens === name) return name;
  if (hyphenatedAttributes.has(hyphens)) return hyphens;
  return svgElements.has(element) ? name : name.toLowerCase();
}

/**
 * Reports whether an element already exists on every page. Only the children of such an element are rendered, because
 * browsers would merge its attributes into those of the page.
 */
export function isDocumentElement(name: string): boolean {
  return name === "html" || name === "head" || name === "body";
}
