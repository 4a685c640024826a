/** The three texts of an error code. They contain no secret, and are the same for every error of the code. */
export type ErrorTexts = {
  /** One sentence for the person who chats: what happened to them. */
  readonly person: string;
  /** The remedy for a developer. */
  readonly fix: string;
  /** The place to look for the person who runs the servers. */
  readonly operator: string;
};
