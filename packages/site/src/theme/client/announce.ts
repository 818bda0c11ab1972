import { make } from "./page.ts";

const region = make("div", {
  role: "status",
  // Hidden visually only: screen readers skip what is not displayed.
  style: "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
});

/** Announces to users of screen readers what others see happen. */
export function announce(text: string): void {
  if (!region.isConnected) document.body.append(region);
  // The same text again would be no change, and a region is announced only after it was added.
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 100);
}
