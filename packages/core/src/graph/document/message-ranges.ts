import type { AnyCheck } from '../../kit/check.ts';
import * as is from '../../kit/check.ts';
import type { Message } from '../message.ts';
import { throwMissing, type TwoWayShape } from './shape.ts';

/** The messages of the given runs. @throws AgentError `state-invalid` for an index beyond the table. */
function messagesOf(table: readonly Message[], ranges: readonly number[], path: string): readonly Message[] {
  const runs: (readonly Message[])[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const [start, length] = [ranges[at] ?? 0, ranges[at + 1] ?? 0];
    if (start + length > table.length)
      throwMissing(path, `it refers to message ${start + length - 1} of ${table.length}`);
    runs.push(table.slice(start, start + length));
  }
  return runs.length === 1 && runs[0] !== undefined ? runs[0] : runs.flat();
}

const indexes = is.list(is.count);
const isPairs = is.checkBy(
  (ranges) => (ranges as readonly number[]).length % 2 === 0,
  'expected pairs of start and length',
);
const pairs: AnyCheck = (ranges, level) => indexes(ranges, level) ?? isPairs(ranges, level);

/** Messages as runs of indexes into the table of the document: start, length, start, length, ... */
export const rangesShape: TwoWayShape<readonly Message[]> = {
  check: pairs,
  encode: (messages, { table }) => table.rangesOf(messages),
  decode: (ranges: readonly number[], { table }, path) => messagesOf(table, ranges, path),
};
