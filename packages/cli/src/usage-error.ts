/** The exit codes of the commands; those of a check are what `git bisect run` reads. */
export const exitCodes = {
  fine: 0,
  /** A run differs from its recording. */
  different: 1,
  /** Nothing could be checked: `git bisect run` skips this commit. */
  untestable: 125,
  /** The command itself is wrong: `git bisect run` ends. */
  wrongUse: 129,
} as const;

/** An error whose message is for the person at the terminal, with the exit code of the command. */
export class UsageError extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number = exitCodes.wrongUse) {
    super(message);
    this.exitCode = exitCode;
  }
}
