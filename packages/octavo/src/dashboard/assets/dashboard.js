// Every page works without this script. It adds copy buttons and keyboard shortcuts, sends text with Ctrl+Enter,
// prevents forms from being sent twice, and opens comments and fills in suggestions without a request.
(() => {
  "use strict";
  const copiedNoticeMs = 1600;
  const resendDelayMs = 4000;

  function addCopyButtons(root) {
    // Browsers offer the clipboard only on https and on localhost.
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
    }, copiedNoticeMs);
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

  // Adds a comment's field below its line, with the markup that the server would send.
  function openComment(button) {
    const name = `comment:${button.value}`;
    const existingField = document.getElementsByName(name)[0];
    if (existingField) return existingField;
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

  // On a narrow screen, the current tab of a project may be out of view.
  document
    .querySelector(".tabs [aria-current]")
    ?.scrollIntoView({ block: "nearest", inline: "nearest" });

  // Asks before leaving the page, because comments are lost unless they are sent.
  let isSending = false;
  document.addEventListener("submit", () => {
    isSending = true;
  });
  addEventListener("beforeunload", (event) => {
    const fields = [...document.querySelectorAll("#review textarea")];
    if (!isSending && fields.some((field) => field.value.trim() !== "")) event.preventDefault();
  });

  // Ignores a second click, which would start a second job.
  const sentForms = new WeakSet();
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (sentForms.has(form)) event.preventDefault();
    sentForms.add(form);
    setTimeout(() => sentForms.delete(form), resendDelayMs);
  });

  function openDialog(label) {
    const dialog = document.createElement("dialog");
    dialog.className = "palette";
    dialog.setAttribute("aria-label", label);
    dialog.addEventListener("close", () => dialog.remove());
    // A click outside the content of the dialog has the dialog itself as its target.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    return dialog;
  }

  const searchDelayMs = 120;

  /** Shows search results in a dialog and updates them while text is entered. */
  function openPalette(address) {
    const dialog = openDialog("Search");
    const field = document.createElement("input");
    field.type = "search";
    field.placeholder = "Search projects, pages and actions";
    field.setAttribute("aria-label", field.placeholder);
    field.autocomplete = "off";
    field.maxLength = 200;
    const results = document.createElement("div");
    results.className = "palette-results";
    results.setAttribute("aria-live", "polite");
    dialog.append(field, results);

    let pendingRequest = new AbortController();
    let shouldOpenFirst = false;
    async function showResults() {
      pendingRequest.abort();
      pendingRequest = new AbortController();
      const url = new URL(address);
      url.searchParams.set("search", field.value);
      try {
        const response = await fetch(url, { signal: pendingRequest.signal });
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const newResults = page.getElementById("results");
        // Without a session, the response is the sign-in page.
        if (newResults) results.replaceChildren(...newResults.children);
        else location.assign(url);
        if (shouldOpenFirst) results.querySelector("a")?.click();
      } catch (error) {
        if (error.name === "AbortError") return;
        results.textContent = "The search failed. Try again.";
      }
    }
    let timer;
    field.addEventListener("input", () => {
      shouldOpenFirst = false;
      clearTimeout(timer);
      timer = setTimeout(() => void showResults(), searchDelayMs);
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target === field) {
        event.preventDefault();
        shouldOpenFirst = true;
        clearTimeout(timer);
        void showResults();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const focusTargets = [field, ...results.querySelectorAll("a")];
        const step = event.key === "ArrowDown" ? 1 : -1;
        focusTargets
          .at((focusTargets.indexOf(document.activeElement) + step) % focusTargets.length)
          .focus();
      }
    });
    dialog.showModal();
    void showResults();
  }

  const shortcuts = [
    ["/", "Search or filter this page"],
    ["Ctrl K or ⌘ K", "Search projects, pages and actions"],
    ["Ctrl Enter or ⌘ Enter", "Send the text that you are writing"],
    ["?", "Show these shortcuts"],
    ["Esc", "Close a dialog"],
  ];

  function showShortcuts() {
    const dialog = openDialog("Keyboard shortcuts");
    const title = document.createElement("h2");
    title.textContent = "Keyboard shortcuts";
    const list = document.createElement("dl");
    for (const [key, action] of shortcuts) {
      const term = document.createElement("dt");
      term.textContent = key;
      const description = document.createElement("dd");
      description.textContent = action;
      list.append(term, description);
    }
    // Speech recognition can press single keys by accident, so they can be switched off.
    const choice = document.createElement("label");
    choice.className = "choice";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = areSingleKeysEnabled();
    box.addEventListener("change", () => localStorage.setItem(singleKeys, String(box.checked)));
    choice.append(box, "Use / and ? without Ctrl or ⌘");
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "Close";
    close.addEventListener("click", () => dialog.close());
    dialog.append(title, list, choice, close);
    dialog.showModal();
  }

  const singleKeys = "octavo:single-keys";
  const areSingleKeysEnabled = () => localStorage.getItem(singleKeys) !== "false";

  const shortcutsButton = document.createElement("button");
  shortcutsButton.type = "button";
  shortcutsButton.textContent = "Keyboard shortcuts";
  shortcutsButton.addEventListener("click", showShortcuts);
  document.querySelector("footer nav")?.append(shortcutsButton);

  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("a.find");
    if (!search || document.querySelector("dialog[open]")) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (isModified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette(search.href);
    }
    const focusedField = event.target.closest?.("input, textarea, select");
    if (!isModified && !event.altKey && !focusedField && areSingleKeysEnabled())
      handleSingleKey(event);
  });

  function handleSingleKey(event) {
    if (event.key !== "/" && event.key !== "?") return;
    event.preventDefault();
    if (event.key === "?") return showShortcuts();
    const field = document.querySelector(
      "main input[type=search], main form[method=get] :is(input, select)",
    );
    if (field) field.focus();
    else openPalette(document.querySelector("a.find").href);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a.find");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    openPalette(link.href);
  });

  document.addEventListener("htmx:after:swap", () => addCopyButtons(document));
  addCopyButtons(document);
})();
