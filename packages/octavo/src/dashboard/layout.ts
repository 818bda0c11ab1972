import { hasRight } from "../core/index.ts";
import type { SignedInUser } from "../projects/index.ts";
import type { Addresses } from "./addresses.ts";
import type { AssetFileNames } from "./assets.ts";
import { renderIcon } from "./icons.ts";
import { safeHtml } from "./safe-html.ts";
import type { SafeHtml } from "./safe-html.ts";

/** The data that every page needs for its header and footer. */
export interface PageFrame {
  readonly addresses: Addresses;
  readonly assets: AssetFileNames;
}

/** The pages that the header and the footer of each page link to. */
export type DashboardSection =
  | "projects"
  | "keys"
  | "members"
  | "audit"
  | "webhooks"
  | "health"
  | "sessions"
  | "manual";

export interface DashboardPage {
  readonly title: string;
  readonly main: SafeHtml;
  /** The markup above the page's content, e.g. the state and the tabs of a project. */
  readonly frame?: SafeHtml;
  /** The signed-in user; undefined if the page was opened without a session. */
  readonly user?: SignedInUser | undefined;
  /** Whether the signed-in user runs the service. */
  readonly isOperator?: boolean;
  readonly section?: DashboardSection | undefined;
  /** The ID of the page's project. A search from this page lists that project's pages first. */
  readonly projectId?: string | undefined;
  /** Whether a job on the page is in progress. Without scripts, the browser then reloads the page at intervals. */
  readonly isLive?: boolean;
  /** Whether the page fills the window, e.g. because it contains a frame. */
  readonly isFull?: boolean;
  /** Whether the page uses the full width of a large window, e.g. for changed files. */
  readonly isWide?: boolean;
}

/** The reload interval of a live page with htmx. */
export const liveInterval = "1s";
const reloadSeconds = 3;

/** The configuration of htmx, which makes error responses leave the shown page unchanged. */
const htmxConfig = JSON.stringify({
  includeIndicatorCSS: false,
  history: false,
  // Keeps expanded details expanded when the page is refreshed.
  morphIgnore: ["data-htmx-powered", "open"],
  noSwap: [204, 304, "4xx", "5xx"],
});

export function renderDocument({ addresses, assets }: PageFrame, page: DashboardPage): string {
  const { title, main, frame, user, isLive = false, isFull = false, isWide = false } = page;
  const reloadTag =
    isLive &&
    safeHtml`<noscript><meta http-equiv="refresh" content="${reloadSeconds}" /></noscript>`;
  return safeHtml`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>${title} · Octavo</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <meta name="htmx-config" content="${htmxConfig}" />
        <link rel="icon" type="image/svg+xml" href="${addresses.asset(assets.icon)}" />
        <link rel="stylesheet" href="${addresses.asset(assets.style)}" />
        <script src="${addresses.asset(assets.htmx)}" defer></script>
        <script src="${addresses.asset(assets.script)}" defer></script>
        ${reloadTag}
      </head>
      <body ${isFull && safeHtml`class="full"`}${isWide && safeHtml`class="wide-page"`}>
        <a class="skip" href="#main">Skip to content</a>
        ${renderHeader(addresses, page)}
        ${frame}
        <main id="main" tabindex="-1">${main}</main>
        ${user && !isFull && renderFooter(addresses, user, page)}
      </body>
    </html>`.toString();
}

function renderHeader(addresses: Addresses, page: DashboardPage): SafeHtml {
  const { user, section, isOperator = false, projectId } = page;
  const brand = safeHtml`<a class="brand" href="${addresses.root}" aria-label="Octavo"
    >${logo}<span>Octavo</span></a
  >`;
  if (!user) return safeHtml`<header class="bar"><div class="bar-inner">${brand}</div></header>`;
  return safeHtml`<header class="bar">
    <div class="bar-inner">
      ${brand}
      <nav aria-label="Main">
        ${listMainPages(addresses, { user, isOperator })
          .filter(({ name }) => name !== "sessions")
          .map(
            ({ name, href, text }) =>
              safeHtml`<a class="${name === "projects" || name === "keys" ? "" : "wide"}" href="${href}"
                ${name === section && safeHtml`aria-current="true"`}>${text}</a>`,
          )}
      </nav>
      <a class="find" href="${addresses.search(projectId)}" aria-label="Search">${renderIcon("search")}</a>
      <form method="post" action="${addresses.signOut}">
        <button class="quiet" type="submit">Sign out</button>
      </form>
    </div>
  </header>`;
}

interface MainPage {
  readonly name: DashboardSection;
  readonly href: string;
  readonly text: string;
}

/** Returns the pages outside projects that the signed-in user may open. */
export function listMainPages(
  addresses: Addresses,
  { user, isOperator }: { readonly user: SignedInUser; readonly isOperator: boolean },
): readonly MainPage[] {
  const permissions: Readonly<Partial<Record<DashboardSection, boolean>>> = {
    members: hasRight(user, "members.read"),
    audit: hasRight(user, "audit.read"),
    // Webhooks apply to all projects of an organization.
    webhooks: user.projectId === null && hasRight(user, "webhooks.manage"),
    health: isOperator,
  };
  const pages: readonly MainPage[] = [
    { name: "projects", href: addresses.projects, text: "Projects" },
    { name: "keys", href: addresses.keys, text: "API keys" },
    { name: "members", href: addresses.members, text: "Members" },
    { name: "audit", href: addresses.audit, text: "Audit log" },
    { name: "webhooks", href: addresses.webhooks, text: "Webhooks" },
    { name: "health", href: addresses.health, text: "Health" },
    { name: "sessions", href: addresses.sessions, text: "Sessions" },
    { name: "manual", href: addresses.manual, text: "Manual" },
  ];
  return pages.filter(({ name }) => permissions[name] ?? true);
}

function renderFooter(
  addresses: Addresses,
  user: SignedInUser,
  { isOperator = false }: Pick<DashboardPage, "isOperator">,
): SafeHtml {
  const { actor, organizationName, projectId, role } = user;
  const signInMethod =
    role === null
      ? safeHtml`with the key <strong>${actor.name}</strong>`
      : safeHtml`as <strong>${actor.name}</strong>, ${role}`;
  return safeHtml`<footer>
    <div>
    <p>
      Signed in to
      ${
        role === null
          ? safeHtml`<strong>${organizationName}</strong>`
          : safeHtml`<a href="${addresses.sessions}#organizations">${organizationName}</a>`
      }
      ${signInMethod}${projectId !== null && ", which is limited to one project"}.
    </p>
    <nav aria-label="More pages">
      ${listMainPages(addresses, { user, isOperator })
        .filter(({ name }) => name !== "projects" && name !== "keys")
        .map(({ href, text }) => safeHtml`<a href="${href}">${text}</a>`)}
    </nav>
    </div>
  </footer>`;
}

const logo = safeHtml`<svg viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
  <rect width="32" height="32" rx="7" class="mark-ground" />
  <path
    d="M8 8h9a7 7 0 0 1 7 7v9H15a7 7 0 0 1-7-7zM8 8l16 16M8 16h8V8"
    fill="none"
    class="mark-lines"
    stroke-width="2.4"
  />
</svg>`;
