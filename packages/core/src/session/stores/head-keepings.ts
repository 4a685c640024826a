import { nothing } from '../../kit/memoize.ts';
import type { SessionRecord, WriterOptions } from './session-store.ts';

/** The number of ids of taken commands that are remembered. */
export const takenCommands = 200;

/** The part of a head that only the store writes: the writer epoch and the ids of taken commands. */
export type HeadKeepings = Pick<SessionRecord, 'epoch' | 'taken'>;

/** Returns the store's part of a head after a write. */
export function keptByWrite(before: HeadKeepings, { epoch = 0, commands = [] }: WriterOptions): HeadKeepings {
  const known = before.taken ?? nothing;
  const taken = commands.length === 0 ? known : [...new Set([...known, ...commands])].slice(-takenCommands);
  return keepings(Math.max(before.epoch ?? 0, epoch), taken);
}

/** Returns the store's part of a head, without fields that are empty. */
export function keepings(epoch: number, taken: readonly string[]): HeadKeepings {
  return { ...(epoch === 0 ? {} : { epoch }), ...(taken.length === 0 ? {} : { taken }) };
}
