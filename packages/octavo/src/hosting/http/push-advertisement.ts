import { sortRefs } from "../copy/packed-refs.ts";
import { packet } from "./push-commands.ts";
import type { RepositoryState } from "../store/repository-store.ts";

/** What `git receive-pack` says of itself with the settings of a push, in every version that the service runs. */
const capabilities = [
  "report-status",
  "report-status-v2",
  "delete-refs",
  "side-band-64k",
  "quiet",
  "atomic",
  "ofs-delta",
  "object-format=sha1",
  "agent=octavo",
].join(" ");
const flush = Buffer.from("0000");

/**
 * The list of refs that a client asks for before a push (gitprotocol-http). Written here, because git would need three
 * processes to read from a file what the database has just said.
 */
export function advertisePush({ refs }: Pick<RepositoryState, "refs">): Buffer {
  const listed = sortRefs(refs).map(({ name, commit }) => `${commit} ${name}`);
  const [first = `${"0".repeat(40)} capabilities^{}`, ...rest] = listed;
  const lines = [`${first}\0${capabilities}`, ...rest];
  const service = packet("# service=git-receive-pack\n");
  return Buffer.concat([service, flush, ...lines.map((line) => packet(`${line}\n`)), flush]);
}
