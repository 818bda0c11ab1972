/**
 * Shortens links in a bundle whose pages are folders. The links name files, which can be opened everywhere, but hosts
 * show the folder. Therefore, a link changes to the folder's address when a reader is about to follow it.
 */
export function startAddresses(): void {
  const hasFolderUrls = document.documentElement.dataset["addresses"] === "folder";
  if (!hasFolderUrls || !location.protocol.startsWith("http")) return;
  for (const event of ["pointerover", "focusin", "click"]) {
    document.addEventListener(event, shortenLink, { capture: true, passive: true });
  }
}

function shortenLink({ target }: Event): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.origin === location.origin) link.pathname = stripIndexFile(link.pathname);
}

/** Returns the path of a page without the name of its file. */
export function stripIndexFile(path: string): string {
  return path.replace(/\/index\.html$/, "/");
}
