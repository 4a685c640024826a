import { equalJson } from '@vitrine/core/internal/kit/json';
import type {
  SessionLoad,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { diffJson } from '@vitrine/inspect/internal/diff';
import { isAgentError } from '@vitrine/core/internal/kit/agent-error';
import type { RawTexts } from './store-under-test.ts';

/** Asserts equality. @throws Error with the first differences. */
export function assertSame(actual: unknown, expected: unknown, what: string): void {
  if (equalJson(actual, expected)) return;
  const found = diffJson(expected, actual)
    .slice(0, 3)
    .map(
      ({ path, before, after }) =>
        `at ${path.join('.') || 'its root'}: ${brief(after)} instead of ${brief(before)}`,
    );
  throw new Error(`${what}: ${found.join('; ')}`);
}

/** A load result without where its records begin, which a store need not tell. */
export function withoutStarts(load: SessionLoad): SessionLoad {
  return load.kind === 'there' ? { kind: load.kind, session: load.session } : load;
}

/** Asserts a condition. @throws Error with the sentence when it does not hold. */
export function assertTrue(condition: boolean, what: string): void {
  if (!condition) throw new Error(what);
}

/** The result of a call: its value, or the code of its error. */
export async function outcomeOf(
  call: () => Promise<unknown>,
): Promise<{ value: unknown } | { code: string }> {
  try {
    return { value: (await call()) ?? null };
  } catch (thrown) {
    return { code: isAgentError(thrown) ? thrown.code : `no AgentError: ${String(thrown)}` };
  }
}

/** Asserts a rejection. @throws Error unless the call rejects with an AgentError of one of the codes. */
export async function assertRejects(
  call: () => Promise<unknown>,
  codes: readonly string[],
  what: string,
): Promise<void> {
  const outcome = await outcomeOf(call);
  const found = 'code' in outcome ? outcome.code : 'no error';
  assertTrue(codes.includes(found), `${what}: expected ${codes.join(' or ')}, found ${found}`);
}

/** Asserts that a call rejects, because another writer has changed the session. @throws Error otherwise. */
export function assertConflict(call: () => Promise<unknown>, what: string): Promise<void> {
  return assertRejects(call, ['session-conflict'], what);
}

/** The session that a store reads under an id; null for none. */
export async function storedIn(store: SessionStore, id: string): Promise<SessionRecord | null> {
  return loadedSession(await store.load(id));
}

/** Asserts that a store has only tombstones of the removed sessions: their ids and times. @throws Error otherwise. */
export async function assertErased(raw: RawTexts, ids: readonly string[], what: string): Promise<void> {
  const heads = ids.map(raw.head);
  const left = (await raw.keys()).filter((key) => !heads.includes(key));
  assertSame(left, [], what);
  for (const head of heads) {
    const { length } = (await raw.get(head)) ?? '';
    assertTrue(length < 500, `${what}: ${length} characters under ${head}, which is more than a trace`);
  }
}

function brief(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
