import { make, root } from "./page.ts";
import { words } from "./words.ts";

/** The response from the address in `data-versions`. */
interface VersionList {
  readonly versions: readonly ListedVersion[];
}

interface ListedVersion {
  readonly slug: string;
  readonly title: string;
  /** The path of the version's start page. */
  readonly url: string;
  readonly isDefault: boolean;
}

/**
 * Shows the versions of a site that a server publishes: a menu in the bar, and a notice on pages of old and unreleased
 * versions. Only that server sets the attributes, so a bundle that is opened elsewhere loads nothing.
 */
export function startVersions(): void {
  const { versions: address } = root.dataset;
  if (address === undefined) return;
  loadVersions(address).then(show, () => {
    // The page is complete without the list.
  });
}

async function loadVersions(address: string): Promise<readonly ListedVersion[]> {
  const response = await fetch(address);
  if (!response.ok) return [];
  return ((await response.json()) as VersionList).versions;
}

function show(versions: readonly ListedVersion[]): void {
  const { version, versionState } = root.dataset;
  const defaultVersion = versions.find(({ isDefault }) => isDefault);
  if (versionState !== "current" && defaultVersion && defaultVersion.slug !== version) {
    const sentence = versionState === "old" ? words.oldVersion : words.unreleasedVersion;
    const link = make("a", { href: getHref(defaultVersion) }, defaultVersion.title);
    const line = make("p", { class: "version-note", role: "note" }, `${sentence} `, link);
    document.getElementById("content-area")?.prepend(line);
  }
  if (!versions.some(({ slug }) => slug !== version)) return;
  // On phones, the menu is in the sidebar.
  document.querySelector(".navbar-start")?.append(makeMenu(versions));
  document.querySelector(".sidebar-top")?.after(makeMenu(versions));
}

/**
 * Returns an address that the server redirects to the same page of a version, or to its start page if there is none.
 */
function getHref({ slug }: ListedVersion): string {
  return `/_octavo/versions/${encodeURIComponent(slug)}${root.dataset["currentPath"] || "/"}`;
}

function makeMenu(versions: readonly ListedVersion[]): HTMLElement {
  const current = root.dataset["version"] ?? "";
  const name = versions.find(({ slug }) => slug === current)?.title ?? current;
  const items = versions.map((version) => {
    const isCurrent = version.slug === current;
    const attributes = {
      class: "nav-dropdown-item",
      href: isCurrent ? location.pathname : getHref(version),
      "aria-current": isCurrent ? "true" : undefined,
    };
    return make("li", {}, make("a", attributes, version.title));
  });
  const summary = make(
    "summary",
    { "aria-label": `${words.version}: ${name}`, title: name },
    make("span", { dir: "auto" }, name),
    make("i", { class: "i i-updown" }),
  );
  const list = make("ul", { class: "menu-list" }, ...items);
  return make("details", { class: "menu menu-site-versions", name: "menu" }, summary, list);
}
