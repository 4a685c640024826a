import { testOfJournal } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { copyText } from '../../kit/copy-text.ts';
import { TextBlock } from '../../kit/text-block.tsx';
import { saveFile } from './save-file.ts';
import type { ReplayableRun } from './replayable-run.ts';

const shown = 4000;

/** Shows the run as a test of the application's agent. */
export function TestView({ source, run, journal }: ReplayableRun): ReactNode {
  const [test, setTest] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const make = (): void => setTest(testOfJournal({ journal, name: source.name, request: run.request }));
  const copy = async (text: string, page: Document): Promise<void> =>
    setMessage((await copyText(text, page)) ? 'Copied.' : 'The browser refused to copy the text.');
  return (
    <section aria-label="Test">
      <h4>Run {run.number} as a test</h4>
      <p className="facts">
        A vitest file that replays the run with your agent and fails when a prompt or a hook differs. Correct
        its import of the agent.
      </p>
      {test === null ? (
        <button onClick={make}>Make a test</button>
      ) : (
        <>
          <button onClick={() => saveFile(`run-${run.number}.test.ts`, test, 'text/plain')}>Save test</button>
          <button onClick={({ currentTarget }) => void copy(test, currentTarget.ownerDocument)}>
            Copy test
          </button>{' '}
          <span role="status" className="figure">
            {message}
          </span>
          <TextBlock label="Test">{test.length > shown ? `${test.slice(0, shown)}…` : test}</TextBlock>
        </>
      )}
    </section>
  );
}
