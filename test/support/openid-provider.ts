import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { Provider } from "oidc-provider";

/** A user's identity at the provider. */
export interface TestAccount {
  readonly sub: string;
  readonly name?: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly groups?: readonly string[];
}

/** A real provider of OpenID Connect on this machine, whose people type nothing. */
export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The account that signs in from now on. */
  account: TestAccount;
}

const claims = {
  email: ["email", "email_verified"],
  profile: ["name"],
  groups: ["groups"],
};

export async function openProvider(callbackUrl: string): Promise<TestProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { clientId: "octavo", clientSecret: "a-secret-of-the-client" };
  const state: { account: TestAccount } = { account: { sub: "nobody" } };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [callbackUrl],
      },
    ],
    claims,
    scopes: ["openid", "email", "profile", "groups"],
    cookies: { keys: ["a key of the test"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({
      accountId,
      claims: () => ({ ...state.account, groups: [...(state.account.groups ?? [])] }),
    }),
    // Nobody is asked whether the service may know them.
    async loadExistingGrant({ oidc }) {
      const { clientId = "" } = oidc.client ?? {};
      const { accountId = "" } = oidc.session ?? {};
      const grant = new oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope("openid email profile groups");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) {
      void answer(request, response);
      return;
    }
    const login = { accountId: state.account.sub };
    void provider.interactionFinished(request, response, { login });
  });
  return {
    issuer,
    ...client,
    get account() {
      return state.account;
    },
    set account(account) {
      state.account = account;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
