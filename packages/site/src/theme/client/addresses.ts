/**
 * In a bundle whose pages are folders, links name the files, which opens everywhere. A host shows the folder, so
 * links become its address as soon as a reader is about to follow them.
 */
export function startAddresses(): void {
  const isFolders = document.documentElement.dataset["addresses"] === "folder";
  if (!isFolders || !location.protocol.startsWith("http")) return;
  for (const event of ["pointerover", "focusin", "click"]) {
    document.addEventListener(event, shortenLink, { capture: true, passive: true });
  }
}

function shortenLink({ target }: Event): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>("a[href]") : null;
  if (link?.origin === location.origin) link.pathname = stripIndexFile(link.pathname);
}

/** The address of a page without the name of its file. */
export function stripIndexFile(path: string): string {
  return path.replace(/\/index\.html$/, "/");
}
