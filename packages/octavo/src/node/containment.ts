import { describeContainment } from "@octavo/site";
import type { Containment } from "@octavo/site";
import type { Logger } from "../telemetry/index.ts";

const sentences: Readonly<Record<Containment, string>> = {
  contained:
    "The processes that render pages are contained: they have no network, and cannot see other processes or files",
  "without network":
    "The processes that render pages have no network, but Bubblewrap does not start here: a compromised process could see the same files and processes as the service. Install bubblewrap, and see Security in the manual",
  "by Node alone":
    "This system allows neither Bubblewrap nor network namespaces: a compromised process that renders pages could use the network, and see the same files and processes as the service. See Security in the manual",
};

/** Logs at start how well the system contains a render process that a page has compromised. */
export function logContainment(log: Logger): void {
  const containment = describeContainment();
  const level = containment === "contained" ? "info" : "warn";
  log[level]({ containment }, sentences[containment]);
}
