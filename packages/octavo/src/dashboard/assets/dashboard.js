// Everything works without this: it adds buttons that copy what stands beside them, sends a long text by
// Ctrl+Enter, and a form once only; it opens comments on lines and fills in suggestions without a request.
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
    if (!(event.target instanceof HTMLTextAreaElement)) return;
    const { form } = event.target;
    form?.requestSubmit(form.querySelector("button.primary"));
  });

  // A comment below its line, as the server would send it.
  function openComment(button) {
    const name = `comment:${button.value}`;
    const known = document.getElementsByName(name)[0];
    if (known) return known;
    const row = document.createElement("tr");
    row.className = "comment-row";
    const cell = row.insertCell();
    cell.colSpan = 4;
    const label = document.createElement("label");
    const field = document.createElement("textarea");
    field.name = name;
    field.rows = 2;
    field.placeholder = "What should change here?";
    label.append(button.getAttribute("aria-label"), field);
    cell.append(label);
    button.closest("tr").after(row);
    return field;
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest?.("button[name='on']");
    if (!button) return;
    event.preventDefault();
    openComment(button).focus();
  });

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[data-fill]");
    const field = link && document.getElementById(link.dataset.fill);
    if (!field || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    field.value = link.textContent;
    field.focus();
  });

  document.addEventListener("change", (event) => {
    event.target.closest?.("form[data-send-on-change]")?.requestSubmit();
  });

  // Comments are in the page alone until they are sent.
  let isSending = false;
  document.addEventListener("submit", () => {
    isSending = true;
  });
  addEventListener("beforeunload", (event) => {
    const fields = [...document.querySelectorAll("#review textarea")];
    if (!isSending && fields.some((field) => field.value.trim() !== "")) event.preventDefault();
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
