import { findAll } from "./page.ts";

/** Marks in the table of contents the heading that is being read. */
export function startOutline(): void {
  const links = new Map<Element, HTMLElement>();
  for (const link of findAll(".toc-item")) {
    const id = decodeURIComponent((link.getAttribute("href") ?? "").slice(1));
    const heading = document.getElementById(id);
    if (heading) links.set(heading, link);
  }
  if (links.size === 0) return;
  const headings = [...links.keys()];
  let current: HTMLElement | undefined;
  let isPlanned = false;

  function mark(): void {
    isPlanned = false;
    // The line at which a heading counts as reached: below the bars at the top of the window.
    const line = Math.max(140, innerHeight / 5);
    const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.body.scrollHeight - 2;
    let reached = headings[0];
    for (const heading of headings) {
      const { top, height, width } = heading.getBoundingClientRect();
      const isShown = height > 0 || width > 0;
      if (isShown && (top <= line || (isAtEnd && top < innerHeight))) reached = heading;
    }
    const link = reached && links.get(reached);
    if (link === current) return;
    current?.removeAttribute("data-active");
    current?.removeAttribute("aria-current");
    link?.setAttribute("data-active", "true");
    link?.setAttribute("aria-current", "location");
    if (link) keepInView(link, document.getElementById("table-of-contents-content"));
    current = link;
  }

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    requestAnimationFrame(mark);
  }

  addEventListener("scroll", plan, { passive: true });
  addEventListener("resize", plan, { passive: true });
  document.addEventListener("toggle", plan, true);
  plan();
}

/** Scrolls `box` alone, never the page, until `element` lies within it. */
export function keepInView(element: HTMLElement, box: HTMLElement | null): void {
  if (!box || box.scrollHeight <= box.clientHeight) return;
  const { top, bottom } = element.getBoundingClientRect();
  const frame = box.getBoundingClientRect();
  if (top >= frame.top + 40 && bottom <= frame.bottom - 40) return;
  box.scrollTop += (top + bottom) / 2 - (frame.top + frame.bottom) / 2;
}
