/** Ends the process with a sentence on the reason. */
export function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
