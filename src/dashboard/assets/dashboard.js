// Everything works without this: it only adds buttons that copy what stands beside them.
(() => {
  "use strict";
  const shownMs = 1600;

  /** A clipboard is there on https and localhost only. */
  if (!navigator.clipboard) return;

  function addButtons(root) {
    for (const source of root.querySelectorAll("[data-copy]")) {
      if (source.nextElementSibling?.matches(".copy")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy quiet";
      button.textContent = "Copy";
      button.setAttribute("aria-label", `Copy ${source.dataset.copy}`);
      source.after(button);
    }
  }

  async function copy(button) {
    await navigator.clipboard.writeText(button.previousElementSibling.textContent.trim());
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, shownMs);
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button.copy");
    if (button) copy(button).catch(() => button.remove());
  });
  document.addEventListener("htmx:after:swap", () => addButtons(document));
  addButtons(document);
})();
