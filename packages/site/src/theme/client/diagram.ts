import type { DiagramControlWords } from "../../markup/words/words.ts";
import { findAll, make } from "./page.ts";

const factor = 1.25;
const minimum = 0.5;
const maximum = 5;
/** The share of the box by which an arrow button scrolls. */
const stride = 0.25;

const directions = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] } as const;

/**
 * Adds buttons to diagrams that enlarge a drawing and scroll it in its box. `data-controls` contains the labels of the
 * buttons.
 */
export function startDiagrams(): void {
  for (const figure of findAll(".diagram[data-controls]:not(.diagram-live)")) addControls(figure);
}

/** Adds the buttons to one diagram, whose drawing may be in a shadow tree. */
export function addControls(figure: HTMLElement): void {
  const box = figure.querySelector<HTMLElement>(".diagram-drawing");
  const drawing = (box?.shadowRoot ?? box)?.querySelector("svg");
  if (!box || !drawing) return;
  const labels = JSON.parse(figure.dataset["controls"] ?? "{}") as DiagramControlWords;
  const zoom = createZoom(box, drawing);
  const bar = make("div", { class: "diagram-controls", role: "group" });
  const add = (key: keyof DiagramControlWords, icon: string, onClick: () => void) => {
    const label = labels[key];
    const attributes = { type: "button", "data-key": key, "aria-label": label, title: label };
    const button = make("button", attributes, make("i", { class: `i i-${icon}` }));
    button.addEventListener("click", onClick);
    bar.append(button);
  };
  add("in", "plus", () => zoom(factor));
  add("out", "minus", () => zoom(1 / factor));
  add("reset", "reset", () => zoom(undefined));
  for (const key of ["up", "down", "left", "right"] as const) {
    const [x, y] = directions[key];
    add(key, "down", () => {
      box.scrollBy(x * stride * box.clientWidth, y * stride * box.clientHeight);
    });
  }
  const frame = make("div", { class: "diagram-frame" });
  frame.dataset["placement"] = figure.dataset["placement"] ?? "";
  box.replaceWith(frame);
  frame.append(box, bar);
}

/**
 * Returns a function that scales a drawing around the middle of its box. Without a factor, the function resets the
 * drawing.
 */
function createZoom(box: HTMLElement, drawing: SVGElement): (factor: number | undefined) => void {
  let scale = 1;
  let width = 0;
  return (factor) => {
    if (factor === undefined) {
      scale = 1;
      for (const { style } of [box, drawing]) style.width = style.height = style.maxWidth = "";
      drawing.style.minWidth = drawing.dataset["least"] ?? "";
      box.scrollTo(0, 0);
      return;
    }
    if (scale === 1) {
      width = drawing.getBoundingClientRect().width;
      drawing.dataset["least"] ??= drawing.style.minWidth;
      box.style.height = `${box.offsetHeight}px`;
    }
    const scaleBefore = scale;
    scale = Math.min(Math.max(scale * factor, minimum), maximum);
    const middle = [box.scrollLeft + box.clientWidth / 2, box.scrollTop + box.clientHeight / 2];
    drawing.style.minWidth = "0";
    drawing.style.maxWidth = "none";
    drawing.style.width = `${width * scale}px`;
    const [x = 0, y = 0] = middle.map((place) => (place * scale) / scaleBefore);
    box.scrollTo(x - box.clientWidth / 2, y - box.clientHeight / 2);
  };
}
