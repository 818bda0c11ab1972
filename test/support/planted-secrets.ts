import { generateKeyPairSync, randomBytes } from "node:crypto";

/** Secrets that stand nowhere else in the world, each for one use. */
export interface PlantedSecrets {
  /** For the service: its own, those of models, and some that are nothing to it. */
  readonly environment: Readonly<Record<string, string>> & { readonly OCTAVO_MODEL_KEY: string };
  /** The credentials of the repository and its code host. */
  readonly login: { readonly username: string; readonly password: string };
  readonly wrongLogin: { readonly username: string; readonly password: string };
  readonly privateKey: string;
  /** The private key of the operator's GitHub App, as in its file. */
  readonly appKey: string;
  /** Addresses from people who put the token in the wrong part. */
  readonly carelessAddresses: readonly string[];
  /** All that must be nowhere, by what it is. Keys of the API are added when they are made. */
  readonly secrets: Record<string, string>;
  /** Signed addresses and cookies, added when they are given out: they stand in no log. */
  readonly passes: Record<string, string>;
  /** A text that everyone may see. It is searched for as well, to show that the search works. */
  readonly marker: string;
}

export function plantSecrets(): PlantedSecrets {
  const environment = {
    OCTAVO_SECRET: plant("secret"),
    OCTAVO_MODEL_KEY: plant("model"),
    ANTHROPIC_API_KEY: plant("anthropic"),
    AWS_SECRET_ACCESS_KEY: plant("aws"),
    PGPASSWORD: plant("postgres"),
  };
  const login = { username: plant("user"), password: plant("token") };
  const wrongLogin = { username: plant("stranger"), password: plant("wrong") };
  const privateKey = plant("ssh");
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const appKey = rsa.privateKey.export({ type: "pkcs1", format: "pem" }).toString();
  const carelessPassword = randomBytes(16).toString("hex");
  return {
    environment,
    login,
    wrongLogin,
    privateKey,
    appKey,
    carelessAddresses: [
      `https://ada:${carelessPassword}@git.example/docs.git`,
      `https://${carelessPassword}@git.example/docs.git`,
      `https://ada:${carelessPassword}@git.example:99999/docs.git`,
      `ssh://git:${carelessPassword}@git.example/docs.git`,
      `ada:${carelessPassword}@git.example:docs.git`,
      `https://git.example/docs.git?access_token=${carelessPassword}`,
      carelessPassword,
    ],
    secrets: {
      ...environment,
      "the project's token": login.password,
      "the project's user": login.username,
      "a wrong token": wrongLogin.password,
      "a wrong user": wrongLogin.username,
      "a private key": privateKey,
      "the App's key": appKey,
      "a line of the App's key": appKey.split("\n")[5] ?? "",
      "a password in an address": carelessPassword,
    },
    passes: {},
    marker: `seen${randomBytes(8).toString("hex")}`,
  };
}

/** Creates a secret whose form does not distinguish it from other text; its end differs in each encoding. */
export function plant(name: string): string {
  return `${name}${randomBytes(12).toString("hex")}/+&=Q`;
}
