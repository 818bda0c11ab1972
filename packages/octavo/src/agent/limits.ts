/** The limits of one agent turn. Except for the time, they apply to the whole turn, across restarts. */
export interface AgentLimits {
  /** The maximum number of model replies. */
  readonly steps: number;
  /** The maximum number of input and output tokens together. */
  readonly tokens: number;
  /** The maximum wall-clock time of this run, in milliseconds. */
  readonly timeMs: number;
  /** The maximum number of files that may change. */
  readonly changedFiles: number;
}

export const defaultAgentLimits: AgentLimits = {
  steps: 100,
  tokens: 4_000_000,
  timeMs: 30 * 60 * 1_000,
  changedFiles: 500,
};

/** Limits that cannot be configured. */
export const fixedLimits = {
  /** The maximum size of a text that is read or written whole. The largest of 17,800 real pages is 726 KB. */
  maxTextBytes: 4 * 1024 * 1024,
  /** The maximum total length of a site's text that is kept in memory; beyond it, files are read again. */
  maxCachedTextLength: 64 * 1024 * 1024,
  /** The maximum total length of the text that is compared for the title of a change. */
  maxComparedLength: 4 * 1024 * 1024,
  /** The maximum number of files read in one site. */
  maxFiles: 100_000,
  /** The maximum length of one tool's answer, in characters: about 12,000 tokens. */
  maxOutputLength: 48_000,
  /**
   * The maximum total length of the pictures shown to the model in a turn, in base64 characters: about 100 pictures of
   * typical size.
   */
  maxPicturesLength: 30_000_000,
  /** The maximum wall-clock time of one model reply, including retries. */
  maxReplyMs: 10 * 60 * 1_000,
  /** The maximum stored length of a reply's text, in characters. Models write at most about 130,000 in one reply. */
  maxReplyTextLength: 150_000,
  /** The maximum number of tool calls in one reply. */
  maxReplyCalls: 500,
  /**
   * The maximum length of a call's input, of a reasoning part and of a provider's own data for a part, in characters.
   */
  maxPartLength: 4_000_000,
  /** The maximum length of the names of tools and calls. Providers accept at most 128 characters. */
  maxNameLength: 200,
  /** The time for which a reply may continue beyond the turn's time, because an unfinished reply is lost. */
  maxLateReplyMs: 30_000,
  /** The maximum number of consecutive malformed tool calls. */
  maxMalformedCalls: 8,
  /**
   * The maximum number of answers to the same call while no file changes. After `maxSameCalls` such calls, the turn
   * ends.
   */
  maxAnswersToSameCall: 3,
  maxSameCalls: 8,
  /** The maximum number of consecutive replies without a tool call or text. */
  maxEmptyReplies: 3,
  /** The maximum number of consecutive times that the provider rejects a conversation as too long. */
  maxRejectedConversations: 3,
  /** The maximum number of times that a change with new errors is returned to the model. */
  maxRepairs: 3,
} as const;
