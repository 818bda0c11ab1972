import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { fails } from "../../../../test/support/fails.ts";
import type { ErrorCode } from "@octavo/site/core";
import type {
  CodeHost,
  CodeHostProject,
  CommitStatus,
  HookTarget,
  NewPullRequest,
  PullRequestExtras,
} from "./code-host.ts";

/** A host with one project whose repository has a branch `main` with a commit. */
export interface HostUnderTest {
  readonly host: CodeHost;
  readonly project: CodeHostProject;
  /** A second connection to the same host, like the connection of another node of the service. */
  readonly other: CodeHost;
  /** Pushes a branch with a new commit, or a branch at the commit of `main`. */
  readonly addBranch: (name: string, options?: { readonly isEmpty?: boolean }) => Promise<void>;
  /** Ends a pull request on the host itself, as people do. */
  readonly end: (number: number, state: "merged" | "closed") => Promise<void>;
  /** Returns the commit of a branch. */
  readonly commitOf: (branch: string) => Promise<string>;
  /** Opens a pull request from a fork, at the commit of `main`. Returns undefined if the host has no forks. */
  readonly addForkPull?: (head: string) => Promise<void>;
  /** Comments on a pull request as a whole, as people do. */
  readonly remark: (number: number, body: string) => Promise<void>;
  /** Returns the statuses that were set, or undefined if the host does not support statuses. */
  readonly statuses?: () => readonly SeenStatus[];
  /** Returns the hooks, or undefined if the host does not support hooks. */
  readonly hooks?: () => readonly HookTarget[];
  /** Returns the text of each of a pull request's comments. */
  readonly comments: (number: number) => Promise<readonly string[]>;
  /**
   * Comments on a line of a pull request, as one of two people: `ada`, who may write, or `eve`, who may not. Returns
   * undefined if the host does not support it.
   */
  readonly commentOnLine?: (number: number, comment: LineCommentFields) => Promise<void>;
  /** Reviews a pull request, as people do. Returns undefined if the host does not support it. */
  readonly review?: (number: number, body: string, requestsChanges: boolean) => Promise<void>;
  /** The people and teams that can be asked for reviews: `octocat` and `acme/docs` unless the host has no teams. */
  readonly reviewers?: readonly string[];
  /** Returns the properties of a pull request other than its text. */
  readonly extras: (number: number) => Promise<PullRequestExtras>;
}

export type SeenStatus = Pick<CommitStatus, "commit" | "state" | "description" | "url">;

interface LineCommentFields {
  readonly body: string;
  readonly line: number;
  readonly login: "ada" | "eve";
}

const branch = "octavo/agent-1";
const newPullRequest: NewPullRequest = {
  title: "Mend “broken” links <b> & more",
  body: "Two links.\n\n- `a`\n- ünïcode 👍\n",
  head: branch,
  base: "main",
};

/** Defines the tests that every code host must pass. */
export function codeHostContract(
  name: string,
  open: (t: TestContext) => Promise<HostUnderTest>,
): void {
  describe(`${name} keeps the contract of CodeHost`, () => {
    it("makes a pull request that is read and found as it was made", async (t) => {
      const { host, project, addBranch } = await open(t);
      await addBranch(branch);
      const { createdAt, ...made } = await host.create(project, newPullRequest);
      const { url } = made;
      assert.deepEqual(made, { ...newPullRequest, number: 1, url, state: "open", isDraft: false });
      assert.ok(!Number.isNaN(createdAt.getTime()));
      assert.equal(url, host.formatPullRequestUrl(project, 1));
      const same = { ...made, createdAt };
      assert.deepEqual(await host.get(project, 1), same);
      assert.deepEqual(await host.find(project, { head: branch, state: "open" }), same);
      const query = { head: branch, base: "main", state: "any" } as const;
      assert.deepEqual(await host.find(project, query), same);
    });

    it("never opens a second pull request for the same branches, however often it is asked", async (t) => {
      const { host, other, project, addBranch } = await open(t);
      await addBranch(branch);
      const first = await host.create(project, newPullRequest);
      assert.deepEqual(await other.create(project, { ...newPullRequest, title: "Again" }), first);
    });

    it("makes one when several ask at once", async (t) => {
      const { host, other, project, addBranch } = await open(t);
      await addBranch(branch);
      const hosts = [host, other, host, other];
      const all = await Promise.all(hosts.map((one) => one.create(project, newPullRequest)));
      assert.deepEqual(new Set(all.map(({ number }) => number)), new Set([1]));
    });

    it("lacks no right with a login that has them all", async (t) => {
      const { host, project } = await open(t);
      assert.deepEqual(await host.listMissingRights(project), []);
    });

    it("finds nothing where there is nothing, and nothing of other branches", async (t) => {
      const { host, project, addBranch } = await open(t);
      await addBranch(branch);
      await addBranch("octavo/agent-10");
      await host.create(project, newPullRequest);
      const absent = ["octavo/agent-10", "octavo/agent", "octavo/agent-1x", "agent-1"];
      for (const head of absent) {
        assert.equal(await host.find(project, { head, state: "any" }), undefined, head);
      }
      const elsewhere = { head: branch, base: "next", state: "any" } as const;
      assert.equal(await host.find(project, elsewhere), undefined);
      await assert.rejects(host.get(project, 99), fails("not_found"));
    });

    it("sees what people did, and makes a new one after an ended one", async (t) => {
      const { host, project, addBranch, end } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      await end(1, "closed");
      const closed = await host.get(project, 1);
      assert.equal(closed.state, "closed");
      assert.ok(closed.endedAt);
      assert.equal(await host.find(project, { head: branch, state: "open" }), undefined);
      assert.equal((await host.find(project, { head: branch, state: "any" }))?.number, 1);

      const second = await host.create(project, newPullRequest);
      assert.deepEqual([second.number, second.state], [2, "open"]);
      await end(2, "merged");
      assert.equal((await host.get(project, 2)).state, "merged");
      const found = await host.find(project, { head: branch, state: "any" });
      assert.deepEqual([found?.number, found?.state], [2, "merged"]);
    });

    it("changes title and body, each alone or both", async (t) => {
      const { host, project, addBranch } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      const titled = await host.update(project, 1, { changes: { title: "Other" } });
      assert.deepEqual([titled.title, titled.body], ["Other", newPullRequest.body]);
      const emptied = await host.update(project, 1, { changes: { body: "" } });
      assert.deepEqual([emptied.title, emptied.body], ["Other", ""]);
      assert.deepEqual(await host.get(project, 1), emptied);
      const changes = { title: "x" };
      await assert.rejects(host.update(project, 99, { changes }), fails("not_found"));
    });

    it("comments and makes drafts where it says that it can", async (t) => {
      const { host, project, addBranch, comments } = await open(t);
      await addBranch(branch);
      const { supportsDrafts, supportsComments } = host.capabilities;
      const draft = host.create(project, { ...newPullRequest, isDraft: true });
      if (supportsDrafts) assert.equal((await draft).isDraft, true);
      else await assert.rejects(draft, fails("invalid_input"));
      if (!supportsDrafts) await host.create(project, newPullRequest);
      const body = "Checked:\n- links";
      const commenting = host.addComment(project, 1, { body });
      if (!supportsComments) return await assert.rejects(commenting, fails("invalid_input"));
      await commenting;
      assert.deepEqual(await comments(1), [body]);
      const [comment] = await host.listComments(project, 1);
      assert.deepEqual([comment?.body, comment?.isByMember], [body, true]);
      assert.ok(!Number.isNaN(comment?.createdAt.getTime()));
      await assert.rejects(host.addComment(project, 99, { body }), fails("not_found"));
      await assert.rejects(host.listComments(project, 99), fails("not_found"));
    });

    it("reads comments on lines and answers them where it says that it can", async (t) => {
      const { host, project, addBranch, commentOnLine } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      const answer = { threadId: 1, body: "Done." };
      assert.equal(host.capabilities.supportsLineComments, commentOnLine !== undefined);
      if (!commentOnLine) {
        const listing = host.listLineComments(project, 1);
        await assert.rejects(listing, fails("invalid_input", /do not support/));
        const answering = host.replyToLineComment(project, 1, answer);
        return await assert.rejects(answering, fails("invalid_input", /do not support/));
      }
      assert.deepEqual(await host.listLineComments(project, 1), []);
      await commentOnLine(1, { body: "Too long.", line: 3, login: "ada" });
      await commentOnLine(1, { body: "Buy this.", line: 2, login: "eve" });
      await host.replyToLineComment(project, 1, answer);
      const listed = await host.listLineComments(project, 1);
      const comments = listed.map(({ createdAt, diff, ...comment }) => {
        assert.ok(!Number.isNaN(createdAt.getTime()));
        assert.match(diff, /^@@ -1 \+1,3 @@\n a\n\+b/);
        return comment;
      });
      const position = { path: "guide.mdx", line: 3 };
      const elsewhere = { ...position, line: 2 };
      assert.deepEqual(comments, [
        {
          id: 1,
          threadId: undefined,
          author: "ada",
          isByMember: true,
          body: "Too long.",
          ...position,
        },
        {
          id: 2,
          threadId: undefined,
          author: "eve",
          isByMember: false,
          body: "Buy this.",
          ...elsewhere,
        },
        { id: 3, threadId: 1, author: "octavo", isByMember: true, body: "Done.", ...position },
      ]);
      const missing = host.replyToLineComment(project, 1, { threadId: 99, body: "x" });
      await assert.rejects(missing, fails("not_found"));
      const empty = host.replyToLineComment(project, 1, { threadId: 1, body: " " });
      await assert.rejects(empty, fails("invalid_input"));
    });

    it("reads reviews where it says that it can", async (t) => {
      const { host, project, addBranch, review } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      assert.equal(host.capabilities.supportsReviews, review !== undefined);
      const listing = host.listReviews(project, 1);
      if (!review) return await assert.rejects(listing, fails("invalid_input", /do not support/));
      assert.deepEqual(await listing, []);
      await review(1, "Too long.", true);
      await review(1, "Fine.", false);
      const reviews = await host.listReviews(project, 1);
      assert.deepEqual(
        reviews.map(({ author, body, requestsChanges }) => [author, body, requestsChanges]),
        [
          ["ada", "Too long.", true],
          ["ada", "Fine.", false],
        ],
      );
      await assert.rejects(host.listReviews(project, 99), fails("not_found"));
    });

    it("adds labels and asks for reviews where it says that it can", async (t) => {
      const { host, project, addBranch, extras, reviewers = ["octocat", "acme/docs"] } = await open(t); // prettier-ignore
      await addBranch(branch);
      await host.create(project, newPullRequest);
      const { supportsLabels, supportsReviewers } = host.capabilities;
      const wanted = {
        labels: supportsLabels ? ["docs", "octavo"] : [],
        reviewers: supportsReviewers ? reviewers : [],
      };
      for (const _ of ["once", "again"]) {
        assert.deepEqual(await host.addExtras(project, 1, { extras: wanted }), []);
      }
      assert.deepEqual(await extras(1), wanted);
      if (!supportsLabels) {
        const labels = { labels: ["docs"], reviewers: [] };
        const adding = host.addExtras(project, 1, { extras: labels });
        await assert.rejects(adding, fails("invalid_input", /do not support labels/));
      }
    });

    it("lists open pull requests with their heads, those of forks too", async (t) => {
      const { host, project, addBranch, addForkPull, commitOf, end } = await open(t);
      assert.deepEqual(await host.listOpen(project), { pullRequests: [], hasMore: false });
      await addBranch(branch);
      const { url } = await host.create(project, newPullRequest);
      await addForkPull?.("theirs");
      const { pullRequests, hasMore } = await host.listOpen(project);
      assert.equal(hasMore, false);
      const own = pullRequests.at(-1);
      const { ref = "", author } = own ?? {};
      assert.deepEqual(own, {
        number: 1,
        url,
        title: newPullRequest.title,
        author,
        isByMember: true,
        isFromFork: false,
        headCommit: await commitOf(branch),
        head: branch,
        base: "main",
        ref,
      });
      assert.match(ref, /^refs\/(?:pull\/1\/head|merge-requests\/1\/head|heads\/octavo\/agent-1)$/);
      if (addForkPull) {
        const [fork] = pullRequests;
        const { number, head, isByMember, isFromFork, headCommit } = fork ?? {};
        assert.deepEqual([number, head, isByMember, isFromFork], [2, "theirs", false, true]);
        assert.match(headCommit ?? "", /^[0-9a-f]{40}$/);
        assert.equal(fork?.ref, ref.replace("1", "2"));
      } else assert.equal(pullRequests.length, 1);
      await end(1, "merged");
      const left = await host.listOpen(project);
      assert.ok(left.pullRequests.every(({ number }) => number !== 1));
    });

    it("sets the status of a commit where it says that it can", async (t) => {
      const { host, project, addBranch, commitOf, statuses } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      const commit = await commitOf(branch);
      const seen = { commit, state: "pending", description: "Building.", url: "http://a.test/1" } as const; // prettier-ignore
      const status = { ...seen, branch };
      assert.equal(host.capabilities.supportsStatuses, statuses !== undefined);
      const setting = host.setStatus(project, status);
      if (!statuses) return await assert.rejects(setting, fails("invalid_input", /do not support/));
      await setting;
      await host.setStatus(project, status);
      assert.deepEqual(statuses().at(-1), seen);
      for (const state of ["success", "failure", "pending"] as const) {
        await host.setStatus(project, { ...status, state });
        assert.deepEqual(statuses().at(-1), { ...seen, state });
      }
      for (const wrong of [
        { commit: "main" },
        { branch: "-a" },
        { description: "" },
        { description: "a\nb" },
        { description: "a".repeat(141) },
      ]) {
        const refused = host.setStatus(project, { ...status, ...wrong });
        await assert.rejects(refused, fails("invalid_input"), JSON.stringify(wrong));
      }
    });

    it("has one comment of a kind, which it finds again among those of others", async (t) => {
      const { host, other, project, addBranch, comments, remark } = await open(t);
      await addBranch(branch);
      await host.create(project, newPullRequest);
      const mark = "octavo review prj_1";
      const set = (body: string | undefined, id?: number, by = host) =>
        by.setComment(project, 1, { comment: { mark, body, id } });
      assert.equal(await set(undefined), undefined);
      const id = await set("One page.");
      assert.ok(id !== undefined);
      const [text = ""] = await comments(1);
      assert.match(text, /^One page\.\n\n<!-- octavo review prj_1 -->$/);
      // A person copies the comment, and the service adds its own comment with a different mark.
      await remark(1, text);
      await host.setComment(project, 1, {
        comment: { mark: "octavo review prj_2", body: "Else." },
      });
      assert.equal(await set("Two pages.", undefined, other), id);
      assert.equal(await set("Two pages.", undefined, other), id);
      assert.equal(await set("Three pages.", id), id);
      const others = [text, "Else.\n\n<!-- octavo review prj_2 -->"];
      const mine = (body: string) => `${body}\n\n<!-- ${mark} -->`;
      assert.deepEqual(await comments(1), [mine("Three pages."), ...others]);
      // A duplicate, as two nodes could create it.
      await host.addComment(project, 1, { body: mine("Again.") });
      assert.equal(await set("Four pages."), id);
      assert.deepEqual(await comments(1), [mine("Four pages."), ...others]);
      assert.equal(await set(undefined, id), undefined);
      assert.deepEqual(await comments(1), others);
      const next = await set("Five pages.", id);
      assert.notEqual(next, id);
      assert.deepEqual(await comments(1), [...others, mine("Five pages.")]);
      const missing = host.setComment(project, 99, { comment: { mark, body: "x" } });
      await assert.rejects(missing, fails("not_found"));
      for (const wrong of [{ mark: "-->" }, { mark: "" }, { body: "a".repeat(65_536) }]) {
        const comment = { mark, body: "x", ...wrong };
        await assert.rejects(host.setComment(project, 1, { comment }), fails("invalid_input"));
      }
    });

    it("makes one hook for an address and removes it where it says that it can", async (t) => {
      const { host, other, project, hooks } = await open(t);
      const hook = { url: "https://octavo.test/hooks/1", secret: "one" };
      assert.equal(host.capabilities.supportsHooks, hooks !== undefined);
      const making = host.ensureHook(project, hook);
      if (!hooks) {
        await assert.rejects(making, fails("invalid_input", /do not support hooks/));
        const removing = host.removeHook(project, hook.url);
        return await assert.rejects(removing, fails("invalid_input", /do not support hooks/));
      }
      await making;
      assert.deepEqual(hooks(), [hook]);
      const second = { url: "https://octavo.test/hooks/2", secret: "other" };
      await host.ensureHook(project, second);
      const renewed = { ...hook, secret: "two" };
      await other.ensureHook(project, renewed);
      const byUrl = hooks().toSorted((one, two) => one.url.localeCompare(two.url));
      assert.deepEqual(byUrl, [renewed, second]);
      await host.removeHook(project, hook.url);
      await host.removeHook(project, hook.url);
      assert.deepEqual(hooks(), [second]);
    });

    it("refuses what no host takes, and makes nothing", async (t) => {
      const { host, project, addBranch } = await open(t);
      await addBranch(branch);
      await addBranch("octavo/empty", { isEmpty: true });
      const wrong: [changes: Partial<NewPullRequest>, code: ErrorCode][] = [
        [{ title: "" }, "invalid_input"],
        [{ title: " " }, "invalid_input"],
        [{ title: "a\nb" }, "invalid_input"],
        [{ title: "a".repeat(257) }, "invalid_input"],
        [{ body: "a".repeat(65_537) }, "invalid_input"],
        [{ body: "\0" }, "invalid_input"],
        [{ head: "-a" }, "invalid_input"],
        [{ head: "a:b" }, "invalid_input"],
        [{ base: branch }, "invalid_input"],
        [{ head: "octavo/missing" }, "ref_not_found"],
        [{ base: "missing" }, "ref_not_found"],
        [{ head: "octavo/empty" }, "conflict"],
      ];
      for (const [changes, code] of wrong) {
        const making = host.create(project, { ...newPullRequest, ...changes });
        await assert.rejects(making, fails(code), JSON.stringify(changes).slice(0, 50));
      }
      await assert.rejects(
        host.update(project, 1, { changes: { title: "" } }),
        fails("invalid_input"),
      );
      await assert.rejects(host.addComment(project, 1, { body: " " }), fails("invalid_input"));
      for (const number of [0, -1, 1.5, Number.NaN, 2 ** 40]) {
        await assert.rejects(host.get(project, number), fails("not_found"));
      }
      const query = { head: branch, state: "any" } as const;
      assert.equal(await host.find(project, query), undefined);
    });
  });
}
