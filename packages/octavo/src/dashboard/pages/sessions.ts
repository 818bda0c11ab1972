import type { Session } from "../../people/index.ts";
import type { Holder } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { relativeTime } from "../words.ts";
import { pageHead, statusBadge } from "./parts.ts";

export interface SessionsView {
  readonly holder: Holder;
  readonly sessions: readonly Session[];
}

export function sessionsPage(addresses: Addresses, { holder, sessions }: SessionsView): SafeHtml {
  return safeHtml`${pageHead([], "Sessions")}
    <p class="soft">Browsers that are signed in. A session ends after 12 hours, or when you end it.</p>
    <ul class="rows">
      ${sessions.map((session) => sessionRow(addresses, holder, session))}
    </ul>`;
}

function sessionRow(addresses: Addresses, holder: Holder, session: Session): SafeHtml {
  const isOwn = session.id === holder.sessionId;
  return safeHtml`<li class="row key">
    <div class="row-main">
      <span class="row-title">${session.name}</span>
      ${isOwn && statusBadge("own", "this browser")}
    </div>
    <span class="row-facts">
      <span>${browserName(session.browser)}</span>
      <span>from ${session.address}</span>
      <span>since ${relativeTime(session.createdAt)}</span>
      <span>active ${relativeTime(session.seenAt)}</span>
    </span>
    <form method="post" action="${addresses.session(session.id)}/end">
      <button type="submit">${isOwn ? "Sign out" : "End"}</button>
    </form>
  </li>`;
}

/** Of the text that browsers send, the part that people know. */
function browserName(text: string): string {
  const names = ["Firefox", "Edg", "OPR", "Chrome", "Safari"];
  const found = names.find((name) => text.includes(`${name}/`));
  if (found === undefined) return text.slice(0, 40) || "unknown browser";
  return { Edg: "Edge", OPR: "Opera" }[found] ?? found;
}
