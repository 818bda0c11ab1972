import { describeContainment } from "@octavo/site";
import type { Containment } from "@octavo/site";
import type { Logger } from "../telemetry/index.ts";

const sentences: Readonly<Record<Containment, string>> = {
  contained:
    "The processes that render pages are contained: they have no network, and see no other process and no other file",
  "without network":
    "The processes that render pages have no network, but Bubblewrap does not start here: one that was taken over would see files and processes as the service does. Install bubblewrap, and see Security in the manual",
  "by Node alone":
    "This system grants neither Bubblewrap nor a network namespace: a process that renders pages and was taken over would have the network, and see files and processes as the service does. See Security in the manual",
};

/** Says at start what the system grants against pages that take over the process which renders them. */
export function logContainment(log: Logger): void {
  const containment = describeContainment();
  const level = containment === "contained" ? "info" : "warn";
  log[level]({ containment }, sentences[containment]);
}
