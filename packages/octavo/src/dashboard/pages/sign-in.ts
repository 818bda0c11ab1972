import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

export interface SignInView {
  /** The requested page, opened after the sign-in. */
  readonly next: string | undefined;
  /** Why the last attempt failed. */
  readonly error?: string;
}

export function signInPage(addresses: Addresses, { next, error }: SignInView): SafeHtml {
  return safeHtml`<div class="sign-in card">
    <h1>Sign in</h1>
    <p class="soft">
      Use an API key of your organisation. The first one is in the file <code>admin-key</code> in
      the service's data folder; create others on the page <em>API keys</em> after you sign in.
    </p>
    ${error !== undefined && safeHtml`<p class="notice danger" id="key-error" role="alert">${error}</p>`}
    <form method="post" action="${addresses.signIn}">
      ${next !== undefined && safeHtml`<input type="hidden" name="next" value="${next}" />`}
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        autofocus
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        placeholder="octavo_…"
        maxlength="500"
        ${error !== undefined && safeHtml`aria-invalid="true" aria-describedby="key-error"`}
      />
      <button class="primary" type="submit">Sign in</button>
    </form>
  </div>`;
}
