import { findClosest, findAll, root } from "./page.ts";

/** Opens and closes the menu on phones, and closes menus when the reader clicks or focuses something else. */
export function startMenus(): void {
  const panel = document.getElementById("sidebar");
  const button = document.querySelector<HTMLElement>(".menu-button");
  if (panel && button) startPanel(panel, button);
  document.addEventListener("click", (event) => {
    const clickedMenu = findClosest(event, "details.menu");
    for (const menu of findAll("details.menu[open]")) {
      if (menu !== clickedMenu) menu.removeAttribute("open");
    }
  });
  document.addEventListener("focusout", (event) => {
    const menu = findClosest(event, "details.menu[open]");
    const { relatedTarget } = event;
    if (relatedTarget instanceof Node && !menu?.contains(relatedTarget))
      menu?.removeAttribute("open");
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of findAll("details.menu[open]")) {
      menu.removeAttribute("open");
      menu.querySelector("summary")?.focus();
    }
  });
}

function startPanel(panel: HTMLElement, button: HTMLElement): void {
  const others = findAll("#header, #banner, #content-container, #footer, .skip-link");
  button.setAttribute("role", "button");
  button.setAttribute("aria-controls", "sidebar");

  function setOpen(isOpen: boolean): void {
    root.toggleAttribute("data-menu-open", isOpen);
    button.setAttribute("aria-expanded", String(isOpen));
    for (const other of others) other.inert = isOpen;
    if (isOpen) panel.querySelector<HTMLElement>(".menu-close")?.focus();
    else button.focus({ preventScroll: true });
  }

  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", (event) => {
    event.preventDefault();
    setOpen(true);
  });
  button.addEventListener("keydown", (event) => {
    if (event.key === " ") {
      event.preventDefault();
      setOpen(true);
    }
  });
  document.addEventListener("click", (event) => {
    if (!root.hasAttribute("data-menu-open")) return;
    // A click on the dimmed rest of the window targets the panel, because it is the panel's pseudo-element.
    if (event.target === panel || findClosest(event, ".menu-close")) {
      event.preventDefault();
      setOpen(false);
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && root.hasAttribute("data-menu-open")) setOpen(false);
  });
  matchMedia("(min-width: 1024px)").addEventListener("change", ({ matches }) => {
    if (matches && root.hasAttribute("data-menu-open")) setOpen(false);
  });
}
