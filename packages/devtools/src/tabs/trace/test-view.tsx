import { testOfJournal } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { saveFile } from './save-file.ts';
import type { ReplayableRun } from './replayable-run.ts';

/** The run as a test of the application's own agent. */
export function TestView({ source, run, journal }: ReplayableRun): ReactNode {
  const [test, setTest] = useState<string | null>(null);
  const make = (): void => setTest(testOfJournal({ journal, name: source.name, request: run.request }));
  return (
    <section aria-label="Test">
      <h4>Run {run.number} as a test</h4>
      <p className="facts">
        A vitest file that replays it with your agent and fails where a prompt or a hook differs. Put right
        from where it imports the agent.
      </p>
      {test === null ? (
        <button onClick={make}>Make a test</button>
      ) : (
        <>
          <button onClick={() => saveFile(`run-${run.number}.test.ts`, test, 'text/plain')}>Save test</button>
          <button onClick={() => void navigator.clipboard.writeText(test)}>Copy test</button>
          <pre className="code">{test.length > 4000 ? `${test.slice(0, 4000)}…` : test}</pre>
        </>
      )}
    </section>
  );
}
