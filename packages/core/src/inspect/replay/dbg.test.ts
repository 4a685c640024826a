import { it } from 'vitest';
import { agentOf, runAll } from '../../run/random-runs.fixture.ts';
import { fixedEnv } from '../../testing/fixed-env.ts';
import { asked } from '../../testing/fixtures.ts';
import { journalDocument } from './journal-document.ts';
import { rolesIn } from './roles.ts';
import { replay } from './replay.ts';
it('dbg', async () => {
  const planned = { ...(0, eval)(process.env['PLAN']!)[0], abortAt: null };
  const env = fixedEnv();
  const base = asked('Hello', env);
  const ran = await runAll(planned, agentOf(planned, new Map()), env, base);
  const journal = journalDocument(
    ran.journal.id,
    base,
    ran.told.map(({ event }) => event),
  );
  const r = rolesIn(journal.events);
  console.log(
    journal.events
      .map(
        (e, i) =>
          `${i} ${e.path.length} ${e.type} ${'source' in e ? e.source : ''} ${'toolCallId' in e ? e.toolCallId.slice(-4) : ''} ${'reason' in e ? e.reason : ''} ${'signal' in e ? e.signal.reason + e.signal.source : ''} ${r.given.has(i) ? 'GIVEN' : ''} ${r.aborts.has(i) ? 'ABORT' : ''}`,
      )
      .join('\n'),
  );
  try {
    await replay(journal, agentOf(planned, new Map()));
    console.log('OK');
  } catch (e) {
    console.log(String(e));
  }
});
