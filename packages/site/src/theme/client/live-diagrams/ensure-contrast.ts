import {
  adjustContrast,
  black,
  computeContrast,
  markContrast,
  mixColors,
  textContrast,
  toHex,
  white,
  type Color,
} from "../../color.ts";
import { parseColor, type Paint, type SchemeColors } from "./scheme-colors.ts";

const shapeNames = "rect, circle, ellipse, polygon, polyline, path, line";
const undrawnNames = "defs, marker, clipPath, mask, pattern, symbol";

/** A painted area of the drawing, in the order of painting. */
interface Layer {
  readonly element: Element;
  readonly area: DOMRect;
  readonly fill: Paint;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Recolors text and lines of a visible drawing that do not contrast with what lies below them. Authors choose colors
 * for one scheme, and the palettes of some diagram types are made for a white background.
 */
export function ensureContrast(drawing: SVGSVGElement, colors: SchemeColors): void {
  const layers = findLayers(drawing);
  const layerIndexes = new Map(layers.map(({ element }, index) => [element, index]));
  const findGroundBelow = (element: Element, point: Point) => {
    const ownIndex = layerIndexes.get(element);
    const end = ownIndex ?? layers.findIndex((layer) => isAfter(layer.element, element));
    return findGround(layers.slice(0, end === -1 ? undefined : end), point, colors.background);
  };
  for (const shape of drawing.querySelectorAll<SVGGeometryElement>(shapeNames)) {
    if (shape.closest(undrawnNames)) fixMarker(shape, colors);
    else fixLine(shape, findGroundBelow);
  }
  for (const text of findTexts(drawing)) {
    if (!text.matches(".sequenceNumber")) fixText(text, findGroundBelow, colors);
  }
  fixNumbers(drawing, colors);
}

/** Colors message numbers and the marks behind them, which are at the start of lines and are not layers. */
function fixNumbers(drawing: SVGSVGElement, { background, text }: SchemeColors): void {
  for (const mark of drawing.querySelectorAll<SVGElement>("[id$=sequencenumber] > *")) {
    mark.style.setProperty("fill", toHex(text), "important");
  }
  for (const number of drawing.querySelectorAll<SVGElement>(".sequenceNumber")) {
    number.style.setProperty("fill", toHex(background), "important");
  }
}

type FindGround = (element: Element, point: Point) => Color;

function isAfter(element: Element, other: Element): boolean {
  return (other.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

function findLayers(drawing: SVGSVGElement): Layer[] {
  const layers: Layer[] = [];
  for (const element of drawing.querySelectorAll(`${shapeNames}, foreignObject *`)) {
    if (element.closest(undrawnNames)) continue;
    const styles = getComputedStyle(element);
    const value = element instanceof SVGElement ? styles.fill : styles.backgroundColor;
    const share = element instanceof SVGElement ? Number(styles.fillOpacity) : 1;
    const paint = parseColor(value);
    const alpha = (paint?.alpha ?? 0) * share * computeOpacity(element);
    if (paint === undefined || alpha < 0.02 || styles.visibility === "hidden") continue;
    const area = element.getBoundingClientRect();
    if (area.width > 0 && area.height > 0) {
      layers.push({ element, area, fill: { color: paint.color, alpha } });
    }
  }
  return layers;
}

/** Returns the combined opacity of an element and the groups around it. The shadow tree ends at the drawing. */
function computeOpacity(element: Element): number {
  let opacity = 1;
  for (
    let ancestor: Element | null = element;
    ancestor !== null;
    ancestor = ancestor.parentElement
  ) {
    opacity *= Number(getComputedStyle(ancestor).opacity);
  }
  return opacity;
}

/** Returns the color that is visible at a point of the layers. */
function findGround(layers: readonly Layer[], point: Point, background: Color): Color {
  const visiblePaints: Paint[] = [];
  for (const { element, area, fill } of layers.toReversed()) {
    const { x, y } = point;
    if (x < area.left || x > area.right || y < area.top || y > area.bottom) continue;
    if (!isInside(element, point)) continue;
    visiblePaints.push(fill);
    if (fill.alpha > 0.98) break;
  }
  return visiblePaints
    .toReversed()
    .reduce<Color>((ground, { color, alpha }) => mixColors(ground, color, alpha), background);
}

function isInside(element: Element, { x, y }: Point): boolean {
  if (!(element instanceof SVGGeometryElement)) return true;
  const matrix = element.getScreenCTM();
  if (matrix === null) return false;
  return element.isPointInFill(new DOMPoint(x, y).matrixTransform(matrix.inverse()));
}

/** Finds the elements that have text of their own. */
function findTexts(drawing: SVGSVGElement): (SVGElement | HTMLElement)[] {
  const texts: (SVGElement | HTMLElement)[] = [];
  for (const element of drawing.querySelectorAll("text, tspan, foreignObject *")) {
    if (!(element instanceof SVGElement || element instanceof HTMLElement)) continue;
    const hasText = [...element.childNodes].some(
      (node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim(),
    );
    if (hasText && !element.closest(undrawnNames)) texts.push(element);
  }
  return texts;
}

function fixText(
  text: SVGElement | HTMLElement,
  findGroundBelow: FindGround,
  { text: ink }: SchemeColors,
): void {
  const styles = getComputedStyle(text);
  const property = text instanceof SVGElement ? "fill" : "color";
  const paint = parseColor(styles.getPropertyValue(property));
  const { left, right, top, bottom } = text.getBoundingClientRect();
  if (right - left <= 0) return;
  const grounds = [0.1, 0.5, 0.9].map((share) =>
    findGroundBelow(text, { x: left + (right - left) * share, y: (top + bottom) / 2 }),
  );
  const alpha = paint === undefined ? 0 : paint.alpha * computeOpacity(text);
  const isReadable = grounds.every(
    (ground) =>
      paint !== undefined &&
      computeContrast(mixColors(ground, paint.color, alpha), ground) >= textContrast,
  );
  if (isReadable) return;
  // Prefer the color closest to the text's own, even if it does not have enough contrast with every background.
  const choice = [adjustContrast(paint?.color ?? ink, grounds), black, white].reduce(
    (best, color) =>
      computeLowestContrast(best, grounds) >= textContrast ||
      computeLowestContrast(best, grounds) >= computeLowestContrast(color, grounds)
        ? best
        : color,
  );
  text.style.setProperty(property, toHex(choice), "important");
  text.style.setProperty("fill-opacity", "1", "important");
  text.style.setProperty("opacity", "1", "important");
}

function computeLowestContrast(color: Color, grounds: readonly Color[]): number {
  return Math.min(...grounds.map((ground) => computeContrast(color, ground)));
}

/** Ensures the contrast of a line, or of the border of an area that does not stand out by itself. */
function fixLine(shape: SVGGeometryElement, findGroundBelow: FindGround): void {
  const styles = getComputedStyle(shape);
  const stroke = parseColor(styles.stroke);
  if (stroke === undefined || Number.parseFloat(styles.strokeWidth) === 0) return;
  const point = findPoint(shape);
  if (point === undefined) return;
  const ground = findGroundBelow(shape, point);
  const alpha = stroke.alpha * Number(styles.strokeOpacity) * computeOpacity(shape);
  if (alpha === 0) return;
  if (computeContrast(mixColors(ground, stroke.color, alpha), ground) >= markContrast) return;
  const fill = parseColor(styles.fill);
  if (fill !== undefined && fill.alpha > 0.98) {
    if (computeContrast(fill.color, ground) >= markContrast) return;
  }
  const choice = toHex(adjustContrast(stroke.color, [ground], markContrast));
  shape.style.setProperty("stroke", choice, "important");
  shape.style.setProperty("stroke-opacity", "1", "important");
  for (let ancestor: Element | null = shape; ancestor !== null; ancestor = ancestor.parentElement) {
    if (ancestor instanceof SVGElement && Number(getComputedStyle(ancestor).opacity) < 1) {
      ancestor.style.setProperty("opacity", "1", "important");
    }
  }
}

/** Returns the midpoint of a line, in window coordinates. */
function findPoint(shape: SVGGeometryElement): Point | undefined {
  const matrix = shape.getScreenCTM();
  const length = shape.getTotalLength();
  if (matrix === null || length === 0) return undefined;
  return shape.getPointAtLength(length / 2).matrixTransform(matrix);
}

/** Ensures the contrast of arrowheads, which are at the end of lines, mostly on the page's background. */
function fixMarker(shape: SVGElement, { background, line }: SchemeColors): void {
  if (!shape.closest("marker")) return;
  const styles = getComputedStyle(shape);
  for (const property of ["fill", "stroke"]) {
    const paint = parseColor(styles.getPropertyValue(property));
    if (paint === undefined || paint.alpha === 0) continue;
    // This is the inside of a hollow arrowhead.
    if (property === "fill" && computeContrast(paint.color, background) < 1.2) continue;
    if (computeContrast(paint.color, background) >= markContrast) continue;
    shape.style.setProperty(property, toHex(line), "important");
  }
}
