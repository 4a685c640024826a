/** What an error says to whom; never with a secret, and the same for every error of its code. */
export type ErrorFaces = {
  /** One sentence for the person who chats: what happened to them. */
  readonly person: string;
  /** What a developer does about it. */
  readonly fix: string;
  /** Where the person who runs the servers looks. */
  readonly operator: string;
};
