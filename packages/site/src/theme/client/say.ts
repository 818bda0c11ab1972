import { make } from "./page.ts";

const region = make("div", {
  role: "status",
  // Hidden from eyes alone: what is not displayed is not read out.
  style: "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
});

/** Tells those who listen to the page what others see happen. */
export function say(text: string): void {
  if (!region.isConnected) document.body.append(region);
  // The same text twice is no change; and a region is listened to only once it is there.
  region.textContent = "";
  setTimeout(() => (region.textContent = text), 100);
}
