/**
 * The only inline script of a bundle. It runs before the page is painted and before the rest of the page is loaded, so
 * it must be small and import nothing. It must be the same on every page of every site, so that a policy can allow it
 * by its hash. Values that differ between pages are in the attributes of `<html>`.
 */
const { classList, dataset } = document.documentElement;

/**
 * Corrects the page's own address if a host shows the page at a different depth than the one for which its links were
 * created, e.g. `start.html` at `start/`, or a folder's `index.html` at the folder without the trailing slash. The
 * window's address becomes the address to which the page's links are relative. The page is not reloaded. The address is
 * corrected only if the page is shown under its own name. Throws if the address is malformed or the browser forbids the
 * change, as it does for files.
 */
function correctAddress(): void {
  const { root: toRoot = "", currentPath = "" } = dataset;
  const { pathname, search, hash } = location;
  // The first name is empty, because the path begins with a slash.
  const names = currentPath.split("/");
  const ownName = names.at(-1);
  const depth = toRoot.split("../").length - 1;
  // The page's file is an `index.html` if it is one level deeper than the path, has this name, or is the home page.
  const isFolder = depth ? depth > names.length - 2 || ownName === "index" : currentPath === "/";
  const shownNames = pathname.split("/").map(decodeURIComponent);
  const shownName = shownNames.pop();
  const corrected = isFolder
    ? shownName &&
      !/\.html?$|^index$/.test(shownName) &&
      // The folder of the bundle itself can have any name.
      (!depth || shownName === names[depth]) &&
      `${pathname}/`
    : ownName && !shownName && shownNames.pop() === ownName && `${pathname.slice(0, -1)}.html`;
  if (corrected) {
    history.replaceState(history.state, "", corrected + search + hash);
  }
}

try {
  correctAddress();
} catch {
  // The page is shown anyway. Only its relative links may be wrong.
}
// From here on, the styles for readers without scripts do not apply.
classList.add("js");

// The color scheme that the reader chose or, if there is none, the site's or, if there is none either, the system's.
// `startScheme` in `main.ts` applies later changes.
let { appearance: scheme, textFont } = dataset;
if (!("fixed" in dataset)) {
  try {
    scheme = localStorage.getItem(`octavo:${dataset["site"]}:scheme`) || scheme;
  } catch {
    // The browser does not allow this page to read stored values.
  }
}
classList.toggle(
  "dark",
  scheme === "dark" || (scheme === "system" && matchMedia("(prefers-color-scheme:dark)").matches),
);

// The font is loaded here, because the style sheet names it too late, and browsers refuse to preload
// fonts for pages opened as files.
if (textFont) void new FontFace("_", `url(${textFont})`).load().catch(() => {});
