import { OctavoError } from "@octavo/site/core";
import { destinationOf, refuseDestination } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";

const longestAddress = 2_048;

/**
 * Checks where a webhook's messages go. Throws `invalid_input` with what to write instead, without
 * repeating the address: some carry a token. Names are looked up, and their addresses checked, whenever
 * a message is sent.
 */
export function checkWebhookAddress(text: string, allow: AllowList): void {
  const url = text.length <= longestAddress && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      "is not an https address of at most 2,048 characters, such as https://example.com/hooks.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      "holds a user name or password; leave them out. The receiver knows by the signature who sends.",
    );
  }
  const place = destinationOf(url);
  const refusal = place && refuseDestination(place, allow);
  if (refusal !== undefined) throw invalid(`is refused: ${refusal}`);
}

function invalid(rest: string): OctavoError {
  return new OctavoError("invalid_input", `url ${rest}`);
}
