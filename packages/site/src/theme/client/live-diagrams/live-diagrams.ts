/**
 * Draws the diagrams that only Mermaid can draw. Each is drawn when it comes near the viewport. A drawing is in a
 * shadow tree, so that its style sheet and the page's do not affect each other. If a diagram cannot be drawn, its
 * source stays visible.
 */
import { addControls } from "../diagram.ts";
import { findAll, loadScript, make, root, rootPath } from "../page.ts";
import { cleanDrawing } from "./clean-drawing.ts";
import { createMermaidTheme, readPageColors, type SchemeColors } from "./scheme-colors.ts";
import { ensureContrast } from "./ensure-contrast.ts";

interface Mermaid {
  initialize(settings: Readonly<Record<string, unknown>>): void;
  render(id: string, source: string, holder: Element): Promise<{ readonly svg: string }>;
}

declare global {
  // Set by `mermaid.js`.
  var mermaid: Mermaid | undefined;
}

/** The distance above or below the viewport within which diagrams are already drawn. */
const drawMargin = "600px 0px";
/** The minimum width in pixels for diagrams that fill their container. */
const minPlaceWidth = 480;
/**
 * The width in pixels below which a wider drawing does not shrink, so that labels stay readable; on phones it scrolls.
 */
const maxMinWidth = 560;

/**
 * Settings that a diagram must not change. All other settings concern the diagram's layout, which is up to its author.
 */
const fixedSettings = [
  "secure",
  "securityLevel",
  "startOnLoad",
  "suppressErrorRendering",
  "maxTextSize",
  "maxEdges",
  "theme",
  "themeVariables",
  "themeCSS",
  "darkMode",
  "fontFamily",
  "altFontFamily",
  "fontSize",
  "dompurifyConfig",
  "deterministicIds",
];

const frameStyles = `
  :host { display: block; }
  svg { display: inline-block; height: auto; }
  a { cursor: pointer; }
  p { margin: 0; }
  /* Areas that darken what lies below them would be black on black. */
  * { mix-blend-mode: normal !important; }
`;

const drawnFigures = new Set<HTMLElement>();
let library: Promise<void> | undefined;
let pendingWork: Promise<void> = Promise.resolve();
let drawingCount = 0;

startDiagrams();

function startDiagrams(): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting || !(target instanceof HTMLElement)) continue;
        observer.unobserve(target);
        draw(target);
      }
    },
    { rootMargin: drawMargin },
  );
  for (const figure of findAll(".diagram-live")) observer.observe(figure);

  let isDark = root.classList.contains("dark");
  new MutationObserver(() => {
    if (isDark === root.classList.contains("dark")) return;
    isDark = !isDark;
    for (const figure of drawnFigures) draw(figure);
  }).observe(root, { attributeFilter: ["class"] });
}

/** Draws a diagram after all earlier ones, because Mermaid's settings are global. */
function draw(figure: HTMLElement): void {
  pendingWork = drawAfter(pendingWork, figure);
}

async function drawAfter(earlier: Promise<void>, figure: HTMLElement): Promise<void> {
  await earlier;
  try {
    await (library ??= loadScript("_octavo/mermaid.js"));
    await document.fonts.ready;
    await drawFigure(figure);
    drawnFigures.add(figure);
  } catch {
    // The source is still shown.
    figure.dataset["failed"] = "";
  }
}

async function drawFigure(figure: HTMLElement): Promise<void> {
  const source = figure.querySelector(".diagram-source code")?.textContent ?? "";
  const colors = readPageColors(figure);
  const svg = await render(source, { colors, width: figure.clientWidth, fonts: getFonts(figure) });
  const drawing = cleanDrawing(svg, rootPath);
  if (drawing === undefined) throw new Error("There is no drawing.");
  nameDrawing(drawing, figure.dataset["label"] ?? "");
  fitDrawing(drawing);

  const box = make("div", { class: "diagram-drawing", tabindex: "0" });
  const styles = make("style", {}, frameStyles);
  box.attachShadow({ mode: "open" }).append(styles, drawing);
  // Keeps the drawing readable on paper, which is white.
  if (colors.isDark) box.style.backgroundColor = "var(--c-bg)";
  figure.querySelector(":scope > :is(.diagram-frame, .diagram-drawing)")?.remove();
  figure.prepend(box);
  if (!drawnFigures.has(figure)) figure.querySelector(".diagram-source")?.removeAttribute("open");
  ensureContrast(drawing, colors);
  const threshold = Number(figure.dataset["controlsFrom"] ?? Infinity);
  if (drawing.getBoundingClientRect().height > threshold) addControls(figure);
}

interface Place {
  readonly colors: SchemeColors;
  /** The width of the figure, in pixels. */
  readonly width: number;
  readonly fonts: string;
}

async function render(source: string, { colors, width, fonts }: Place): Promise<string> {
  const { mermaid } = globalThis;
  if (mermaid === undefined) throw new Error("Mermaid is not loaded.");
  // Mermaid measures text, which is possible only within the page.
  const holder = make("div", { class: "diagram-holder", "aria-hidden": "true" });
  holder.style.width = `${Math.max(width, minPlaceWidth)}px`;
  document.body.append(holder);
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      suppressErrorRendering: true,
      secure: fixedSettings,
      theme: "base",
      themeVariables: { ...createMermaidTheme(colors), fontFamily: fonts, fontSize: "15px" },
      darkMode: colors.isDark,
      fontFamily: fonts,
      // SVG text does not need the page's style sheet. Formulas are HTML.
      htmlLabels: source.includes("$$"),
    });
    return (await mermaid.render(`diagram-${++drawingCount}`, source, holder)).svg;
  } finally {
    holder.remove();
  }
}

function getFonts(figure: HTMLElement): string {
  return getComputedStyle(figure).fontFamily;
}

function nameDrawing(drawing: SVGSVGElement, label: string): void {
  // Screen readers do not expose the links within an image.
  drawing.setAttribute("role", drawing.querySelector("a") ? "group" : "img");
  drawing.setAttribute("aria-label", label);
  for (const name of ["aria-labelledby", "aria-describedby", "aria-roledescription"]) {
    drawing.removeAttribute(name);
  }
}

function fitDrawing(drawing: SVGSVGElement): void {
  const { width } = drawing.viewBox.baseVal;
  drawing.removeAttribute("height");
  drawing.setAttribute("width", `${Math.round(width)}`);
  drawing.style.maxWidth = "100%";
  drawing.style.minWidth = `${Math.min(maxMinWidth, Math.round(width))}px`;
}
