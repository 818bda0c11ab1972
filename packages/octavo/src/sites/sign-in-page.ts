import { escapeText } from "./page-edits.ts";

export interface SignInPage {
  /** The path that opens afterwards. */
  readonly to: string;
  readonly hasPassword: boolean;
  /** The address at which members sign in. */
  readonly signInUrl: string | undefined;
  /** The reason why the last attempt failed. */
  readonly problem: string | undefined;
}

/** The policy of the page, which loads nothing and is shown in no frame. */
export const signInPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const styles = `:root{color-scheme:light dark}body{margin:15vh auto;max-width:22rem;padding:0 1.25rem;font:1rem/1.6 system-ui,sans-serif}
h1{font-size:1.25rem}input,button{box-sizing:border-box;width:100%;margin-top:.5rem;padding:.5rem .75rem;font:inherit}
p[role=alert]{color:light-dark(#b91c1c,#fca5a5)}`;

/** Renders the page on which readers open a closed site. */
export function renderSignInPage({ to, hasPassword, signInUrl, problem }: SignInPage): string {
  const alert = problem === undefined ? "" : `<p role="alert">${escapeText(problem)}</p>`;
  const form = `<form method="post" action="/_octavo/open"><input type="hidden" name="to" value="${escapeText(to)}"><label>Password<input type="password" name="password" required autofocus autocomplete="current-password"></label><button>Open</button></form>`;
  const link =
    signInUrl === undefined
      ? ""
      : `<p><a href="${escapeText(signInUrl)}">Sign in as a member</a></p>`;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>This site is protected</title><style>${styles}</style></head><body><main><h1>This site is protected</h1>${alert}${hasPassword ? form : ""}${link}</main></body></html>\n`;
}
