import { longSubjects } from './lint/subjects.ts';
import { root } from './root.ts';

// Commits after this one have subjects of at most 72 characters.
const base = '5066e6c045eafdff55ebc27c0deef556fe4c2b94';

const long = longSubjects(root, base);
if (long.length > 0) {
  process.stderr.write(`Commit subjects have at most 72 characters. Shorten these:\n${long.join('\n')}\n`);
  process.exitCode = 1;
}
