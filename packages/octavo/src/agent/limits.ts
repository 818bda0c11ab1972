/** The limits of one agent turn. They count over the whole turn, across restarts, except for the time. */
export interface AgentLimits {
  /** Model replies. */
  readonly steps: number;
  /** Input and output tokens together. */
  readonly tokens: number;
  /** Wall time of this run, in milliseconds. */
  readonly timeMs: number;
  readonly changedFiles: number;
}

export const defaultAgentLimits: AgentLimits = {
  steps: 100,
  tokens: 4_000_000,
  timeMs: 30 * 60 * 1_000,
  changedFiles: 500,
};

/** Limits without a setting. */
export const toolBounds = {
  /** A text that is read or written whole; the largest of 17,800 real pages is 726 KB. */
  textBytes: 4 * 1024 * 1024,
  /** Files read in one site. */
  files: 100_000,
  /** One tool's answer, in characters: about 12,000 tokens. */
  outputLength: 48_000,
  /** Pictures shown to the model in a turn, in characters of base64: about 100 of typical size. */
  picturesLength: 30_000_000,
  /** Wall time of one model reply, including retries. */
  answerMs: 10 * 60 * 1_000,
  /** Consecutive malformed tool calls. */
  faultyCalls: 8,
  /** Answers to the same call while no file changes, and the number after which the turn ends. */
  sameCalls: 3,
  sameCallsEnd: 8,
  /** Consecutive replies without a tool call or text. */
  emptyAnswers: 3,
  /** Consecutive refusals of a conversation as too long by the provider. */
  refusedConversations: 3,
  /** Times that a change with new errors is returned to the model. */
  maxRepairs: 3,
} as const;
