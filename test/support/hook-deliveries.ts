import { createHmac, randomUUID } from "node:crypto";

/** A request to a hook, as a code host sends it. */
export interface HookRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

type Payload = Readonly<Record<string, unknown>>;

const commit = "bffeb74224043ba2feb48d137756c8a9331c449a";
const before = "28e1879d029cb852e4844d9c718537df08844e03";
const zeros = "0".repeat(40);

function hmac(secret: string | Buffer, text: string, form: "hex" | "base64"): string {
  return createHmac("sha256", secret).update(text).digest(form);
}

/** The way in which each code host sends an event, after the hosts' own descriptions of their webhooks. */
export const senders = {
  github(secret: string, event: string, payload: Payload): HookRequest {
    const body = JSON.stringify(payload);
    return {
      headers: {
        "content-type": "application/json",
        "user-agent": "GitHub-Hookshot/044aadd",
        "x-github-delivery": randomUUID(),
        "x-github-event": event,
        "x-github-hook-id": "292430182",
        "x-github-hook-installation-target-id": "79929171",
        "x-github-hook-installation-target-type": "repository",
        "x-hub-signature": `sha1=${createHmac("sha1", secret).update(body).digest("hex")}`,
        "x-hub-signature-256": `sha256=${hmac(secret, body, "hex")}`,
      },
      body,
    };
  },
  githubForm(secret: string, event: string, payload: Payload): HookRequest {
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    const { headers } = senders.github(secret, event, payload);
    return {
      headers: {
        ...headers,
        "content-type": "application/x-www-form-urlencoded",
        "x-hub-signature-256": `sha256=${hmac(secret, body, "hex")}`,
      },
      body,
    };
  },
  gitea(secret: string, event: string, payload: Payload): HookRequest {
    const body = JSON.stringify(payload, undefined, 2);
    const id = randomUUID();
    const signature = hmac(secret, body, "hex");
    return {
      headers: {
        "content-type": "application/json",
        "x-gitea-delivery": id,
        "x-gitea-event": event,
        "x-gitea-event-type": event,
        "x-gitea-signature": signature,
        "x-gogs-delivery": id,
        "x-gogs-event": event,
        "x-gogs-signature": signature,
        "x-github-delivery": id,
        "x-github-event": event,
        "x-hub-signature-256": `sha256=${signature}`,
      },
      body,
    };
  },
  forgejo(secret: string, event: string, payload: Payload): HookRequest {
    const { headers, body } = senders.gitea(secret, event, payload);
    return {
      headers: {
        ...headers,
        "x-forgejo-delivery": headers["x-gitea-delivery"] ?? "",
        "x-forgejo-event": event,
        "x-forgejo-event-type": event,
        "x-forgejo-signature": headers["x-gitea-signature"] ?? "",
      },
      body,
    };
  },
  gitlabToken(secret: string, event: string, payload: Payload): HookRequest {
    return {
      headers: {
        "content-type": "application/json",
        "user-agent": "GitLab/18.4.0",
        "idempotency-key": randomUUID(),
        "x-gitlab-event": event,
        "x-gitlab-event-uuid": randomUUID(),
        "x-gitlab-instance": "https://gitlab.example",
        "x-gitlab-token": secret,
        "x-gitlab-webhook-uuid": "02affd2d-2cba-4033-917d-ec22d5dc4b38",
      },
      body: JSON.stringify(payload),
    };
  },
  gitlabSigned(secret: string, event: string, payload: Payload): HookRequest {
    const { headers, body } = senders.gitlabToken(secret, event, payload);
    const { "x-gitlab-token": _, ...rest } = headers;
    const signed = signStandard(secret, rest["idempotency-key"] ?? "", body);
    return { headers: { ...rest, ...signed }, body };
  },
  standard(secret: string, event: string, payload: Payload): HookRequest {
    const body = JSON.stringify({ type: event, timestamp: new Date().toISOString(), ...payload });
    const signed = signStandard(secret, `msg_${randomUUID()}`, body);
    return { headers: { "content-type": "application/json", ...signed }, body };
  },
} as const;

function signStandard(secret: string, id: string, body: string): Record<string, string> {
  const time = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  return {
    "webhook-id": id,
    "webhook-timestamp": time,
    "webhook-signature": `v1,${hmac(key, `${id}.${time}.${body}`, "base64")}`,
  };
}

const author = { name: "Ada", email: "ada@acme.example", username: "ada" };
const changes = { added: ["shelf.mdx"], modified: [], removed: [] };
const commits = [{ id: commit, message: "Add the shelf", timestamp: "2026-11-20T08:00:00Z", url: `https://git.example/docs/commit/${commit}`, author, committer: author, ...changes }]; // prettier-ignore

/** The content of a push at GitHub. */
export function createGitHubPush(changed: Payload = {}): Payload {
  return { ref: "refs/heads/main", before, after: commit, created: false, deleted: false, forced: false, base_ref: null, compare: "https://github.com/acme/docs/compare/28e1879d029c...bffeb7422404", commits, head_commit: commits[0], repository: { id: 186853002, name: "docs", full_name: "acme/docs", default_branch: "main", master_branch: "main" }, pusher: author, sender: { login: "ada", id: 21031067, type: "User" }, ...changed }; // prettier-ignore
}

/** The content of a push at Gitea and Forgejo. */
export function createGiteaPush(changed: Payload = {}): Payload {
  return { ref: "refs/heads/main", before, after: commit, compare_url: "https://git.example/docs/compare/28e1879...bffeb74", commits, total_commits: 1, head_commit: commits[0], repository: { id: 140, name: "docs", full_name: "acme/docs", default_branch: "main" }, pusher: { id: 1, login: "ada" }, sender: { id: 1, login: "ada" }, ...changed }; // prettier-ignore
}

/** The content of a push at GitLab. */
export function createGitLabPush(changed: Payload = {}): Payload {
  return { object_kind: "push", event_name: "push", before, after: commit, ref: "refs/heads/main", ref_protected: true, checkout_sha: commit, user_id: 4, user_name: "Ada", project_id: 15, project: { id: 15, name: "docs", default_branch: "main", path_with_namespace: "acme/docs" }, commits, total_commits_count: 1, push_options: {}, repository: { name: "docs", url: "git@gitlab.example:acme/docs.git" }, ...changed }; // prettier-ignore
}

/** Changes that make a push the deletion of its branch. */
export const deletion = { after: zeros, deleted: true, commits: [], head_commit: null, checkout_sha: null }; // prettier-ignore
