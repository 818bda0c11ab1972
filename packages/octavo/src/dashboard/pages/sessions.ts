import type { Membership, Session } from "../../people/index.ts";
import type { Holder } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderRelativeTime } from "../format.ts";
import { renderPageHead, renderStatusBadge } from "./parts.ts";

export interface SessionsView {
  readonly holder: Holder;
  readonly sessions: readonly Session[];
  /** The memberships of the signed-in person; empty for a key. */
  readonly memberships: readonly Membership[];
}

export function renderSessionsPage(
  addresses: Addresses,
  { holder, sessions, memberships }: SessionsView,
): SafeHtml {
  return safeHtml`${renderPageHead([], "Sessions")}
    <p class="soft">The browsers where you are signed in. A session ends after 12 hours, or when you end it.</p>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(addresses, holder, session))}
    </ul>
    ${memberships.length > 1 && organizationList(addresses, holder, memberships)}`;
}

function organizationList(
  addresses: Addresses,
  holder: Holder,
  memberships: readonly Membership[],
): SafeHtml {
  return safeHtml`<section aria-labelledby="organizations">
    <h2 id="organizations">Your organizations</h2>
    <ul class="rows">
      ${memberships.map(({ organizationId, organizationName, role }) => {
        const isCurrent = organizationId === holder.organizationId;
        return safeHtml`<li class="row key">
          <div class="row-main">
            <span class="row-title">${organizationName}</span>
            ${renderStatusBadge(role)} ${isCurrent && renderStatusBadge("own", "this session")}
          </div>
          ${
            !isCurrent &&
            safeHtml`<form method="post" action="${addresses.sessions}/switch">
              <input type="hidden" name="organizationId" value="${organizationId}" />
              <button type="submit" aria-label="Switch to ${organizationName}">Switch</button>
            </form>`
          }
        </li>`;
      })}
    </ul>
  </section>`;
}

function sessionRow(addresses: Addresses, holder: Holder, session: Session): SafeHtml {
  const isOwn = session.id === holder.sessionId;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${session.name}</span>
      ${isOwn && renderStatusBadge("own", "this browser")}
    </div>
    <span class="row-facts">
      <span>${browserName(session.browser)}</span>
      <span>from ${session.address}</span>
      <span>since ${renderRelativeTime(session.createdAt)}</span>
      <span>active ${renderRelativeTime(session.seenAt)}</span>
    </span>
    <form method="post" action="${addresses.session(session.id)}/end">
      <button type="submit">${isOwn ? "Sign out" : "End"}</button>
    </form>
  </li>`;
}

/** Returns the browser's name from its user agent. */
function browserName(text: string): string {
  const names = ["Firefox", "Edg", "OPR", "Chrome", "Safari"];
  const found = names.find((name) => text.includes(`${name}/`));
  if (found === undefined) return text.slice(0, 40) || "unknown browser";
  return { Edg: "Edge", OPR: "Opera" }[found] ?? found;
}
