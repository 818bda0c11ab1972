// Leads from one marked change of a page to the next, and shows both versions beside each other. The page is complete
// without this: the marks and the links of the bar are in its HTML.
(() => {
  "use strict";
  const bar = document.getElementById("octavo-difference");
  if (!bar) return;
  const isSides = bar.dataset.view === "sides" && matchMedia("(min-width: 56rem)").matches;
  const article =
    document.getElementById("content-area") ?? document.querySelector("article, main") ?? undefined;
  if (isSides && article) showSides(article);

  /** Puts a copy of the article beside it. A style sheet hides in each what only the other version has. */
  function showSides(own) {
    document.documentElement.dataset.differenceView = "sides";
    const sides = document.createElement("div");
    sides.id = "octavo-sides";
    own.replaceWith(sides);
    for (const [side, content, name] of [
      ["after", own, "After"],
      ["before", own.cloneNode(true), "Before"],
    ]) {
      const box = document.createElement("section");
      box.dataset.differenceSide = side;
      box.setAttribute("aria-label", name);
      box.append(content);
      sides.append(box);
    }
    const [after, before] = [...sides.children].map(findBlocks);
    const rows = listRows(after, before);
    const align = () => {
      for (const block of [...after, ...before]) block.style.marginTop = "";
      for (const row of rows) alignRow(row);
    };
    addEventListener("load", align);
    new ResizeObserver(align).observe(document.body);
  }

  function findBlocks(box) {
    return [...(box.querySelector("#content") ?? box.firstElementChild).children];
  }

  /** Pairs the blocks of both sides. Those of one change are one row, because each side hides some of them. */
  function listRows(after, before) {
    const rows = [];
    for (const [at, block] of after.entries()) {
      const { change } = block.dataset;
      const last = rows.at(-1);
      if (change !== undefined && last?.change === change) {
        last.after.push(block);
        last.before.push(before[at]);
      } else {
        rows.push({ change, after: [block], before: [before[at]] });
      }
    }
    return rows;
  }

  /** Moves the higher one of a row's sides down to the other one. */
  function alignRow(row) {
    const [own, old] = [row.after.find(isShown), row.before.find(isShown)];
    if (!own || !old) return;
    const delta = own.getBoundingClientRect().top - old.getBoundingClientRect().top;
    if (Math.abs(delta) < 1) return;
    const higher = delta > 0 ? old : own;
    const { top } = higher.getBoundingClientRect();
    let above = higher.previousElementSibling;
    while (above && !isShown(above)) above = above.previousElementSibling;
    const edge =
      above?.getBoundingClientRect().bottom ?? higher.parentElement.getBoundingClientRect().top;
    higher.style.marginTop = `${top - edge + Math.abs(delta)}px`;
  }

  function isShown(block) {
    return block.offsetHeight > 0;
  }

  const count = Number(bar.dataset.changes);
  const position = document.getElementById("octavo-difference-count");
  let current = 0;

  function show(number) {
    if (count === 0) return;
    current = ((number - 1 + count) % count) + 1;
    for (const old of document.querySelectorAll("[data-difference-current]")) {
      old.removeAttribute("data-difference-current");
    }
    const marks = [...document.querySelectorAll(`[data-change="${current}"]`)];
    for (const mark of marks) mark.setAttribute("data-difference-current", "");
    for (const mark of marks) open(mark);
    const seen = marks.find((mark) => mark.checkVisibility({ visibilityProperty: true }));
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    seen?.scrollIntoView({
      block: seen.offsetHeight < innerHeight / 2 ? "center" : "start",
      behavior: isStill ? "instant" : "smooth",
    });
    position.textContent = `${current} of ${count}`;
  }

  /** Opens the elements that hide a mark. Tabs and views of a page listen for the event. */
  function open(mark) {
    for (let around = mark; around; around = around.parentElement) {
      if (around instanceof HTMLDetailsElement) around.open = true;
      if (around instanceof HTMLElement && around.hidden) {
        around.dispatchEvent(new Event("octavo:show"));
        around.hidden = false;
      }
    }
  }

  const acts = {
    next: () => show(current + 1),
    previous: () => show(current === 0 ? count : current - 1),
  };
  const keys = { n: acts.next, j: acts.next, p: acts.previous, k: acts.previous };

  bar.addEventListener("click", (event) => {
    acts[event.target.closest("button")?.dataset.act]?.();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.addEventListener("click", (event) => {
    const list = bar.querySelector("details[open]");
    if (list && !list.contains(event.target)) list.open = false;
  });
})();
