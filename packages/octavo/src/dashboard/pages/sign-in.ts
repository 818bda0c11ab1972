import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";

export interface SignInView {
  /** The requested page, opened after signing in. */
  readonly next: string | undefined;
  /** Why the last attempt failed. */
  readonly error?: string | undefined;
  /** Undefined if people can sign in only with keys. */
  readonly providerName: string | undefined;
  /** Whether requests come through a proxy that is not trusted. */
  readonly hasUntrustedProxy: boolean;
}

export function renderSignInPage(addresses: Addresses, view: SignInView): SafeHtml {
  const { error, providerName, hasUntrustedProxy } = view;
  return safeHtml`<div class="sign-in card">
    <h1>Sign in</h1>
    ${error !== undefined && safeHtml`<p class="notice danger" id="key-error" role="alert">${error}</p>`}
    ${providerName !== undefined && providerLink(addresses, view)}
    ${
      providerName === undefined
        ? keyForm(addresses, view)
        : safeHtml`<details ${error !== undefined && "open"}>
            <summary>With an API key</summary>
            ${keyForm(addresses, view)}
          </details>`
    }
    ${
      hasUntrustedProxy &&
      safeHtml`<p class="faint">
        This request came through a proxy that <code>OCTAVO_TRUST_PROXY</code> does not name, so all
        of its users share one address.
      </p>`
    }
  </div>`;
}

function providerLink(addresses: Addresses, { next, providerName }: SignInView): SafeHtml {
  const query = next === undefined ? "" : `?next=${encodeURIComponent(next)}`;
  return safeHtml`<a class="button primary" href="${addresses.signInProvider}${query}"
    >Sign in with ${providerName}</a
  >`;
}

function keyForm(addresses: Addresses, { next, error, providerName }: SignInView): SafeHtml {
  return safeHtml`<p class="soft">
      Use an API key of your organization. The first key is in the file <code>admin-key</code> in
      the service's data folder. After you sign in, you can create more on the <em>API keys</em> page.
    </p>
    <form method="post" action="${addresses.signIn}">
      ${next !== undefined && safeHtml`<input type="hidden" name="next" value="${next}" />`}
      <label for="key">API key</label>
      <input
        id="key"
        name="key"
        type="password"
        required
        ${providerName === undefined && "autofocus"}
        autocomplete="current-password"
        autocapitalize="off"
        spellcheck="false"
        placeholder="octavo_…"
        maxlength="500"
        ${error !== undefined && safeHtml`aria-invalid="true" aria-describedby="key-error"`}
      />
      <button class="${providerName === undefined && "primary"}" type="submit">Sign in</button>
    </form>`;
}
