// Steps through the marked changes of a page, and shows both versions side by side. The page works
// without this script, because the marks and the bar's links are in its HTML.
(() => {
  "use strict";
  const bar = document.getElementById("octavo-difference");
  if (!bar) return;
  const isSideBySide = bar.dataset.view === "sides" && matchMedia("(min-width: 56rem)").matches;
  const article =
    document.getElementById("content-area") ?? document.querySelector("article, main") ?? undefined;
  if (isSideBySide && article) showSides(article);

  /** Puts a copy of the article beside it. In each copy, a style sheet hides what only the other version contains. */
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

  /** Pairs the blocks of both sides. The blocks of a change form one row, because each side hides some of them. */
  function listRows(after, before) {
    const rows = [];
    for (const [index, block] of after.entries()) {
      const { change } = block.dataset;
      const last = rows.at(-1);
      if (change !== undefined && last?.change === change) {
        last.after.push(block);
        last.before.push(before[index]);
      } else {
        rows.push({ change, after: [block], before: [before[index]] });
      }
    }
    return rows;
  }

  /** Moves the higher of a row's two sides down to the level of the other. */
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
    const visibleMark = marks.find((mark) => mark.checkVisibility({ visibilityProperty: true }));
    const hasReducedMotion = matchMedia("(prefers-reduced-motion: reduce)").matches;
    visibleMark?.scrollIntoView({
      block: visibleMark.offsetHeight < innerHeight / 2 ? "center" : "start",
      behavior: hasReducedMotion ? "instant" : "smooth",
    });
    position.textContent = `${current} of ${count}`;
  }

  /** Opens the elements that hide a mark. A page's tabs and views listen for `octavo:show`. */
  function open(mark) {
    for (let ancestor = mark; ancestor; ancestor = ancestor.parentElement) {
      if (ancestor instanceof HTMLDetailsElement) ancestor.open = true;
      if (ancestor instanceof HTMLElement && ancestor.hidden) {
        ancestor.dispatchEvent(new Event("octavo:show"));
        ancestor.hidden = false;
      }
    }
  }

  const actions = {
    next: () => show(current + 1),
    previous: () => show(current === 0 ? count : current - 1),
  };
  const keys = { n: actions.next, j: actions.next, p: actions.previous, k: actions.previous };

  bar.addEventListener("click", (event) => {
    actions[event.target.closest("button")?.dataset.act]?.();
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, textarea, select, [contenteditable], dialog");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  document.addEventListener("click", (event) => {
    const list = bar.querySelector("details[open]");
    if (list && !list.contains(event.target)) list.open = false;
  });
})();
