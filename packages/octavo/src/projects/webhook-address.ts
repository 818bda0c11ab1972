import { OctavoError } from "@octavo/site/core";
import { destinationOf, refuseDestination } from "../core/index.ts";
import type { AllowList } from "../core/index.ts";

const maxAddressLength = 2_048;

/**
 * Validates a webhook's address. Throws `invalid_input` with advice, without repeating the address: some contain
 * a token. Names are resolved, and their addresses checked, whenever a message is sent.
 */
export function checkWebhookAddress(text: string, allow: AllowList): void {
  const url = text.length <= maxAddressLength && !/[\s\p{Cc}]/u.test(text) ? URL.parse(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw invalid(
      "is not an https address of at most 2,048 characters, such as https://example.com/hooks.",
    );
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(
      "contains a user name or password; remove them. The signature identifies the sender.",
    );
  }
  const place = destinationOf(url);
  const refusal = place && refuseDestination(place, allow);
  if (refusal !== undefined) throw invalid(`is refused: ${refusal}`);
}

function invalid(rest: string): OctavoError {
  return new OctavoError("invalid_input", `url ${rest}`);
}
