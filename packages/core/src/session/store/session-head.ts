import type { SessionHead, SessionRecord, SessionSummary, WriterOptions } from './session-store.ts';
import { present } from '../../kit/json.ts';
import { nothing } from '../../kit/memoize.ts';

export function summaryOf(head: SessionHead): SessionSummary {
  const { id, version, title, agentName, parentId, createdAt, updatedAt, status, executionStatus } = head;
  const { deletedAt, movedTo } = head;
  const summary = { id, version, title, agentName, parentId, createdAt, updatedAt, status, executionStatus };
  return { ...summary, ...present({ deletedAt, movedTo }) };
}

const takenCommands = 200;

/** The part of a head that only the store writes: the writer epoch, the ids of taken commands, and that of the last write. */
type HeadKeepings = Pick<SessionRecord, 'epoch' | 'taken' | 'writeId'>;

/** Returns the store's part of a head after a write. */
export function keptByWrite(
  before: HeadKeepings,
  { epoch = 0, commands = [], writeId = '' }: WriterOptions,
): HeadKeepings {
  const known = before.taken ?? nothing;
  const taken = commands.length === 0 ? known : [...new Set([...known, ...commands])].slice(-takenCommands);
  return keepings(Math.max(before.epoch ?? 0, epoch), taken, writeId);
}

/** Returns the store's part of a head, without fields that are empty. */
export function keepings(epoch: number, taken: readonly string[] = nothing, writeId = ''): HeadKeepings {
  return {
    ...(epoch === 0 ? {} : { epoch }),
    ...(taken.length === 0 ? {} : { taken }),
    ...(writeId === '' ? {} : { writeId }),
  };
}
