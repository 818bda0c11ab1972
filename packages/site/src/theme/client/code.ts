import { findAll, make } from "./page.ts";
import { words } from "./words.ts";

/** Adds a button that shows the rest to each long block that its author wants collapsed. */
export function startExpanding(): void {
  for (const block of findAll(".code[data-expandable]")) {
    const label = make("span", {}, words.more);
    const button = make("button", { class: "expand-code", type: "button" }, label);
    button.append(make("i", { class: "i i-down" }));
    const show = (isExpanded: boolean) => {
      button.setAttribute("aria-expanded", String(isExpanded));
      label.textContent = isExpanded ? words.close : words.more;
      block.toggleAttribute("data-expanded", isExpanded);
    };
    button.addEventListener("click", () => {
      show(!block.hasAttribute("data-expanded"));
      // When the block collapses, the content below the button moves out of view.
      if (!block.hasAttribute("data-expanded")) block.scrollIntoView({ block: "nearest" });
    });
    show(false);
    block.append(button);
  }
}
