/** React's attribute names whose HTML name is not just their lower case. */
const renamed: Readonly<Record<string, string>> = {
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

/** SVG attributes with hyphens, which are camel case in React; other SVG attributes keep their case. */
const hyphenated = new Set(
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

/** Elements whose attributes keep their case (`viewBox`); they occur only in SVG. */
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

/** React properties without meaning in HTML. */
const reactOnly = new Set([
  "children",
  "dangerouslySetInnerHTML",
  "key",
  "ref",
  "suppressContentEditableWarning",
  "suppressHydrationWarning",
]);

const wellFormed = /^[A-Za-z_][\w.:-]*$/;

export function isSvgElement(name: string): boolean {
  return svgElements.has(name);
}

/**
 * The HTML name of an attribute in React's or HTML's spelling: `className`, `strokeWidth`, `autoPlay`.
 * Undefined if it is not an attribute.
 */
export function findAttributeName(name: string, element: string): string | undefined {
  if (!wellFormed.test(name) || reactOnly.has(name)) return undefined;
  if (Object.hasOwn(renamed, name)) return renamed[name];
  const hyphens = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (hyphens === name) return name;
  if (hyphenated.has(hyphens)) return hyphens;
  return svgElements.has(element) ? name : name.toLowerCase();
}

/**
 * Elements that the page already has: only their children are rendered. Browsers would merge their attributes
 * into those of the page.
 */
export function isDocumentElement(name: string): boolean {
  return name === "html" || name === "head" || name === "body";
}
