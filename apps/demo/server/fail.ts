/** Ends the process with a sentence that says why. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
