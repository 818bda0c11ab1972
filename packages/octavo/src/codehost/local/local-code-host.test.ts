import {
  openServedHost,
  pushBranch,
  useDatabase,
} from "../../../../../test/support/served-host.ts";
import { testedEngine } from "../../../../../test/support/tested-engine.ts";
import { codeHostContract } from "../code-host.contract.ts";

const person = { name: "Ada", email: "ada@example.com" };
const database = useDatabase();

codeHostContract(`The embedded host on ${testedEngine}`, async (t) => {
  const setup = await openServedHost(t, { database: database() });
  const { host, reviews, open, project, author } = setup;
  let count = 0;
  return {
    host,
    other: open().host,
    project,
    addBranch: async (name, { isEmpty = false } = {}) => {
      if (isEmpty) await author.git("push", "--quiet", "origin", `main:refs/heads/${name}`);
      else await pushBranch(setup, name, { [`file-${count++}.mdx`]: name });
    },
    commitOf: (name) => author.git("ls-remote", "origin", `refs/heads/${name}`).then((line) => line.slice(0, 40)), // prettier-ignore
    remark: (number, body) => reviews.addComment(project.id, number, { author: "Ada", body }),
    end: async (number, state) => {
      if (state === "merged") await reviews.merge(project, number, person);
      else await reviews.close(project.id, number);
    },
    comments: async (number) =>
      (await reviews.listComments(project.id, number, 100)).map(({ body }) => body),
    extras: () => Promise.resolve({ labels: [], reviewers: [] }),
  };
});
