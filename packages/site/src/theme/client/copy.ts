import { findAll, findClosest, loadScript, make } from "./page.ts";
import { words } from "./words.ts";

declare global {
  interface Window {
    /** Returns the page's content as Markdown. `_octavo/page-markdown.js` sets this function. */
    octavoPageMarkdown?: () => string;
  }
}

const feedbackMs = 1600;

/** Starts the buttons that copy code, prompts, colors, the page as Markdown, and links to headings. */
export function startCopying(): void {
  for (const prompt of findAll("[data-prompt]")) addPromptActions(prompt);
  for (const item of findAll(".color-item")) {
    item.append(make("button", { class: "copy-color", type: "button", "aria-label": words.copy }));
  }
  for (const block of findAll(".code:not([data-no-copy])")) {
    if (!block.querySelector("pre") || block.querySelector(".copy-code")) continue;
    const icon = make("i", { class: "i i-copy" });
    block.append(
      make("button", { class: "copy-code", type: "button", "aria-label": words.copy }, icon),
    );
  }
  document.addEventListener("click", (event) => {
    const code = findClosest(event, ".copy-code");
    if (code) {
      const text = code.parentElement?.querySelector("pre")?.textContent ?? "";
      void copyFrom(code, () => Promise.resolve(text.replace(/\n$/, "")));
    }
    const color = findClosest(event, ".copy-color");
    if (color) void copyFrom(color, () => Promise.resolve(readColorText(color)));
    const page = findClosest(event, ".copy-page");
    const prompt = findClosest(event, "button.copy-prompt");
    if (prompt) void copyFrom(prompt, () => Promise.resolve(readPromptText(prompt)));
    if (page) void copyFrom(page, () => readPageText(page.dataset["source"] ?? ""));
    const anchor = findClosest(event, "a.anchor");
    if (anchor instanceof HTMLAnchorElement) {
      void copyFrom(anchor, () => Promise.resolve(anchor.href), words.linkCopied);
    }
  });
}

function readPromptText(within: Element): string {
  return within.closest("[data-prompt]")?.querySelector(".prompt-text")?.textContent ?? "";
}

/** Returns the visible value, because a color may have different values in the two schemes. */
function readColorText(button: Element): string {
  const values = findAll(".color-value", button.parentElement ?? document);
  return values.find(({ offsetParent }) => offsetParent !== null)?.textContent ?? "";
}

function addPromptActions(prompt: HTMLElement): void {
  const box = prompt.querySelector<HTMLElement>(".prompt-actions");
  const actions = (box?.dataset["actions"] ?? "").split(" ");
  if (actions.includes("copy")) {
    const icon = make("i", { class: "i i-copy" });
    box?.append(make("button", { class: "copy-prompt", type: "button" }, icon, words.copy));
  }
  if (actions.includes("cursor")) {
    const text = encodeURIComponent(readPromptText(prompt));
    const href = `cursor://anysphere.cursor-deeplink/prompt?text=${text}`;
    box?.append(make("a", { class: "copy-prompt", href }, "Cursor"));
  }
}

/**
 * Returns the page's Markdown. If the browser cannot read neighboring files (`file://`), the Markdown is built from the
 * page's content.
 */
async function readPageText(source: string): Promise<string> {
  if (location.protocol.startsWith("http")) {
    const answer = await fetch(source).catch(() => undefined);
    if (answer?.ok) return answer.text();
  }
  if (!window.octavoPageMarkdown) await loadScript("_octavo/page-markdown.js");
  return window.octavoPageMarkdown?.() ?? "";
}

async function copyFrom(
  button: HTMLElement,
  readText: () => Promise<string>,
  message = words.copied,
): Promise<void> {
  if (await copyText(await readText())) markCopied(button, message);
}

/** Briefly shows, and announces to screen readers, that the button's text or image is in the clipboard. */
export function markCopied(button: HTMLElement, message = words.copied): void {
  announce(message);
  if ("copied" in button.dataset) return;
  const label = button.getAttribute("aria-label");
  button.dataset["copied"] = "";
  if (label !== null) button.setAttribute("aria-label", words.copied);
  setTimeout(() => {
    delete button.dataset["copied"];
    if (label !== null) button.setAttribute("aria-label", label);
  }, feedbackMs);
}

/** Copies text with the clipboard API, or with a selection if the API is unavailable (plain `http://`). */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const field = make("textarea", { style: "position:fixed;opacity:0" });
    field.value = text;
    document.body.append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
    return isCopied;
  }
}

const liveRegion = make("div", {
  role: "status",
  // The region is hidden only visually, because screen readers skip elements that are not displayed.
  style: "position:fixed;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)",
});

/** Announces a visible change to users of screen readers. */
function announce(text: string): void {
  if (!liveRegion.isConnected) document.body.append(liveRegion);
  // The text is set later, because repeating the same text would not be a change, and a region is announced only if it
  // changes after it was added.
  liveRegion.textContent = "";
  setTimeout(() => (liveRegion.textContent = text), 100);
}
