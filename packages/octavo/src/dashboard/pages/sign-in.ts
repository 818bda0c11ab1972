import type { Addresses } from "../addresses.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";

export interface SignInView {
  /** Where to go then, as it was asked for. */
  readonly next: string | undefined;
  /** Why the last try failed. */
  readonly error?: string;
}

export function signInPage(addresses: Addresses, { next, error }: SignInView): Html {
  return html`<div class="sign-in card">
    <h1>Sign in</h1>
    <p class="soft">
      With an API key of your organisation. The first one stands in <code>admin-key</code> in the
      service's data folder; others are made on the page <em>API keys</em>, once you are signed in.
    </p>
    ${error !== undefined && html`<p class="notice danger" id="key-error" role="alert">${error}</p>`}
    <form method="post" action="${addresses.signIn}">
      ${next !== undefined && html`<input type="hidden" name="next" value="${next}" />`}
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
        ${error !== undefined && html`aria-invalid="true" aria-describedby="key-error"`}
      />
      <button class="primary" type="submit">Sign in</button>
    </form>
  </div>`;
}
