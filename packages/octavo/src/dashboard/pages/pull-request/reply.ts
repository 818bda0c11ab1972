import { safeHtml } from "../../safe-html.ts";
import type { SafeHtml } from "../../safe-html.ts";

/** The state of a reply to a pull request. */
export interface ReplyView {
  /** Whether the branch belongs to an agent job that accepts messages. */
  readonly canAsk: boolean;
  /** Whether the pull request was merged or closed, after which an agent opens another one. */
  readonly isEnded: boolean;
  readonly message: string;
  /** The reason why the last attempt was refused. */
  readonly refused: string | undefined;
}

/** Renders the fields and buttons of a reply form. `address` is the address of the pull request. */
export function renderReplyFields(
  address: string,
  { canAsk, isEnded, message, refused }: ReplyView,
  label: string,
): SafeHtml {
  return safeHtml`${refused !== undefined && safeHtml`<p class="notice danger" id="reply-error" role="alert">${refused}</p>`}
    <label for="message">${label}</label>
    <textarea
      id="message"
      name="message"
      rows="3"
      ${refused !== undefined && safeHtml`aria-invalid="true" aria-describedby="reply-error"`}
    >
${message}</textarea>
    <div class="prompt-end">
      <p class="faint">
        ${
          canAsk
            ? `Your request is sent to the agent as a message. The agent then ${isEnded ? "opens a new pull request, because this one has ended" : "changes this pull request"}.`
            : "No agent works on this branch, so only people will read your comment."
        }
      </p>
      <div class="actions">
        <button type="submit" formaction="${address}/comment">Comment</button>
        ${
          canAsk &&
          safeHtml`<button class="primary" type="submit" formaction="${address}/ask">
            Ask for these changes
          </button>`
        }
      </div>
    </div>`;
}
