// Everything works without this: it adds buttons that copy what stands beside them, sends a long text by
// Ctrl+Enter, and a form once only.
(() => {
  "use strict";
  const shownMs = 1600;
  const sentMs = 4000;

  function addButtons(root) {
    // A clipboard is there on https and localhost only.
    if (!navigator.clipboard) return;
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

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    if (event.target instanceof HTMLTextAreaElement) event.target.form?.requestSubmit();
  });

  // A second click would start a second job.
  const sent = new WeakSet();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (sent.has(form)) event.preventDefault();
    sent.add(form);
    setTimeout(() => sent.delete(form), sentMs);
  });

  document.addEventListener("htmx:after:swap", () => addButtons(document));
  addButtons(document);
})();
