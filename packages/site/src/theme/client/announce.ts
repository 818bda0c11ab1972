import { make } from "./page.ts";

const region = make("div", {
  role: "status",
  // Hidden only visually: screen readers skip elements that are not displayed.
  style: "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
});

/** Announces a visible change to users of screen readers. */
export function announce(text: string): void {
  if (!region.isConnected) document.body.append(region);
  // Repeating the same text would not be a change, and a region is announced only after it was added.
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 100);
}
