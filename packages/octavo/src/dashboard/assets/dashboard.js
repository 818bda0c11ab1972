// Every page works without this script. It adds copy buttons and keyboard shortcuts, sends a long text by Ctrl+Enter
// and each form once only, and opens comments on lines and fills in suggestions without a request.
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

  // On a narrow screen, the tabs of a project reach beyond it.
  document
    .querySelector(".tabs [aria-current]")
    ?.scrollIntoView({ block: "nearest", inline: "nearest" });

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

  function openDialog(label) {
    const dialog = document.createElement("dialog");
    dialog.className = "palette";
    dialog.setAttribute("aria-label", label);
    dialog.addEventListener("close", () => dialog.remove());
    // A click beside the content of the dialog meets the dialog itself.
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close();
    });
    document.body.append(dialog);
    return dialog;
  }

  const searchDelayMs = 120;

  /** Shows the page of the search in a dialog, and asks it again while text is entered. */
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

    let asked = new AbortController();
    let opensFirst = false;
    async function show() {
      asked.abort();
      asked = new AbortController();
      const url = new URL(address);
      url.searchParams.set("search", field.value);
      try {
        const answer = await fetch(url, { signal: asked.signal });
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const found = page.getElementById("results");
        // Without a session, the answer is the page to sign in.
        if (found) results.replaceChildren(...found.children);
        else location.assign(url);
        if (opensFirst) results.querySelector("a")?.click();
      } catch (error) {
        if (error.name === "AbortError") return;
        results.textContent = "The search failed. Try again.";
      }
    }
    let timer;
    field.addEventListener("input", () => {
      opensFirst = false;
      clearTimeout(timer);
      timer = setTimeout(() => void show(), searchDelayMs);
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.target === field) {
        event.preventDefault();
        opensFirst = true;
        clearTimeout(timer);
        void show();
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        const stops = [field, ...results.querySelectorAll("a")];
        const step = event.key === "ArrowDown" ? 1 : -1;
        stops.at((stops.indexOf(document.activeElement) + step) % stops.length).focus();
      }
    });
    dialog.showModal();
    void show();
  }

  const keys = [
    ["/", "Search or filter this page"],
    ["Ctrl K or ⌘ K", "Search projects, pages and actions"],
    ["Ctrl Enter or ⌘ Enter", "Send the text that you write"],
    ["?", "Show these shortcuts"],
    ["Esc", "Close a dialog"],
  ];

  function showKeys() {
    const dialog = openDialog("Keyboard shortcuts");
    const title = document.createElement("h2");
    title.textContent = "Keyboard shortcuts";
    const list = document.createElement("dl");
    for (const [key, act] of keys) {
      const term = document.createElement("dt");
      term.textContent = key;
      const description = document.createElement("dd");
      description.textContent = act;
      list.append(term, description);
    }
    // People who speak to their computer press single keys by accident.
    const choice = document.createElement("label");
    choice.className = "choice";
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = hasSingleKeys();
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
  const hasSingleKeys = () => localStorage.getItem(singleKeys) !== "false";

  const opener = document.createElement("button");
  opener.type = "button";
  opener.textContent = "Keyboard shortcuts";
  opener.addEventListener("click", showKeys);
  document.querySelector("footer nav")?.append(opener);

  document.addEventListener("keydown", (event) => {
    const search = document.querySelector("a.find");
    if (!search || document.querySelector("dialog[open]")) return;
    const isModified = event.ctrlKey || event.metaKey;
    if (isModified && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette(search.href);
    }
    const isInField = event.target.closest?.("input, textarea, select");
    if (!isModified && !event.altKey && !isInField && hasSingleKeys()) pressSingleKey(event);
  });

  function pressSingleKey(event) {
    if (event.key !== "/" && event.key !== "?") return;
    event.preventDefault();
    if (event.key === "?") return showKeys();
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

  document.addEventListener("htmx:after:swap", () => addButtons(document));
  addButtons(document);
})();
