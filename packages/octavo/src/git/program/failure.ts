import { OctavoError } from "@octavo/site/core";
import type { ProcessExit } from "./processes.ts";

interface FailureExplanation {
  readonly pattern: RegExp;
  readonly sentence: string;
  /**
   * Set if the remote may be available again later. `responding` means that it reported an error.
   * `unresponsive` means that it did not respond, so the address may also be misspelled.
   */
  readonly outage?: "responding" | "unresponsive";
}

/** Explanations of git's (English) messages, in order of precedence. */
const explanations: readonly FailureExplanation[] = [
  {
    pattern: /Could not resolve host(?:name)?|Name or service not known/i,
    sentence: "its host name is unknown. Check the address for a misspelling.",
  },
  {
    pattern: /returned error: 30\d|unable to update url base from redirection/i,
    sentence:
      "the server redirects to a different address, and Octavo does not follow redirects. Use the target address, which is often the same address with .git at the end.",
  },
  {
    pattern:
      /Authentication failed|could not read (?:Username|Password)|returned error: 40[137]|Permission denied|Invalid username or (?:token|password)|access denied|unauthorized|HTTP Basic/i,
    sentence:
      "the server rejected the credentials or requires credentials. Check that the project's credentials are correct and have access to this repository.",
  },
  {
    pattern: /Host key verification failed|REMOTE HOST IDENTIFICATION HAS CHANGED/i,
    sentence:
      "the server's ssh host key has changed. If the change is legitimate, the operator must remove the server's line from git/home/known_hosts in the data folder.",
  },
  {
    pattern: /certificate|SSL_?|TLS/,
    sentence:
      "the server's certificate is not trusted on this machine, so no secure connection is possible.",
  },
  {
    pattern: /returned error: 5\d\d|returned error: 429/i,
    sentence: "the server reports an internal error. Try again later.",
    outage: "responding",
  },
  {
    pattern:
      /repository (?:'' )?not found|could not be found|does not appear to be a git repository|not valid: is this a git repository|returned error: 4\d\d/i,
    sentence:
      "there is no repository at this address, or the project's credentials have no access to it.",
  },
  {
    pattern: /fsck error|fsck_object/i,
    sentence: "its history contains an object that git rejects as damaged or forged.",
  },
  {
    pattern:
      /Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset|closed)|No route to host|Network is unreachable|timed out|Operation too slow|Empty reply|early EOF|hung up|unexpected disconnect|Recv failure|Send failure|transfer closed/i,
    sentence: "the server does not respond. Check the address, or try again later.",
    outage: "unresponsive",
  },
];

/**
 * Returns the error for a failed call to a remote, or undefined if git's message indicates a local problem, such as a
 * corrupt mirror. The error is `unavailable` if the server reports an internal error, and otherwise
 * `repository_unreachable`. If the server did not respond, `details.silent` contains the address. `address` appears in
 * messages, so it must not contain credentials.
 */
export function findRemoteFailure(address: string, result: ProcessExit): OctavoError | undefined {
  const words = dropQuoted(result.stderr);
  const explanation = explanations.find((known) => known.pattern.test(words));
  if (!explanation) return undefined;
  const sentence = `The repository ${address} cannot be read: ${explanation.sentence}`;
  const cause = createGitError(result);
  if (explanation.outage === "responding")
    return new OctavoError("unavailable", sentence, { cause });
  const details = explanation.outage === "unresponsive" ? { silent: address } : {};
  return new OctavoError("repository_unreachable", sentence, { cause, details });
}

/** Removes addresses and paths, which git quotes, because a repository may be named TLS or o'brien. */
export function dropQuoted(stderr: string): string {
  // An apostrophe inside a word does not begin or end a quotation. Text longer than any address is not an address.
  return stderr.replaceAll(/(?<!\w)'[^\n]{0,2200}?'(?!\w)/g, "''");
}

/** Returns an error with git's message for the log. It serves only as the cause of an error, never as its message. */
export function createGitError(result: ProcessExit): Error {
  return new Error(`git exited with ${result.exitCode}: ${result.stderr.trim()}`);
}
