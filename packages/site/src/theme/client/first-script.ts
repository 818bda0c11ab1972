/**
 * The only inline script of a bundle. It runs before the page is painted and before the rest of it is loaded, so it
 * stays small and does not import anything. It must be the same on every page of every site, so that a policy can allow
 * it by its hash; values that differ between pages are in the attributes of `<html>`.
 */
const root = document.documentElement;

/**
 * Corrects the page's own address where a host shows it at a different depth than it was written for: `start.html` at
 * `start/`, or a folder's `index.html` at the folder without its slash. The address in the window becomes one that the
 * bundle's links are relative to, and nothing is loaded again. Only a page that is shown under its own name is
 * corrected. Throws for an address that is not well-formed, and where the browser forbids another one, as for files.
 */
function correctAddress(): void {
  const { root: toRoot = "", currentPath = "" } = root.dataset;
  const { pathname } = location;
  // `/guides/start` has an empty name before its first slash.
  const names = currentPath.split("/");
  const ownName = names.at(-1);
  const depth = toRoot.split("../").length - 1;
  // The page's file is an `index.html` if it is one level deeper than the path, is named so, or is the home page.
  const isFolder = depth ? depth > names.length - 2 || ownName === "index" : currentPath === "/";
  const shownNames = pathname.split("/").map(decodeURIComponent);
  const shownName = shownNames.pop();
  const corrected = isFolder
    ? shownName &&
      !/\.html?$|^index$/.test(shownName) &&
      // The folder of the whole bundle can have any name.
      (!depth || shownName === names[depth]) &&
      `${pathname}/`
    : ownName && !shownName && shownNames.pop() === ownName && `${pathname.slice(0, -1)}.html`;
  if (corrected) {
    history.replaceState(history.state, "", corrected + location.search + location.hash);
  }
}

/** Applies the color scheme that the reader chose, else the site's, else the system's. `scheme.ts` follows changes. */
function applyColorScheme(): void {
  const { classList, dataset } = root;
  let scheme = dataset["appearance"];
  if (!("fixed" in dataset)) {
    try {
      scheme = localStorage.getItem(`octavo:${dataset["site"]}:scheme`) || scheme;
    } catch {
      // The browser stores nothing for this page.
    }
  }
  const isDark =
    scheme === "dark" ||
    (scheme === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  classList.toggle("dark", isDark);
}

try {
  correctAddress();
} catch {
  // The page is still shown; only relative links may be wrong.
}
// Styles for readers without scripts end here.
root.classList.add("js");
applyColorScheme();
