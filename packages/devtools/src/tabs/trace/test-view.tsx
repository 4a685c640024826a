import { testOfJournal } from '@vitrine/core/inspect';
import { type ReactNode, useState } from 'react';
import { copyText } from '../../kit/copy-text.ts';
import { TextBlock } from '../../kit/text-block.tsx';
import { saveFile } from './save-file.ts';
import type { ReplayableRun } from './replayable-run.ts';
import { useTexts } from '../../texts.ts';

const shown = 4000;

/** Shows the run as a test of the application's agent. */
export function TestView({ source, run, journal }: ReplayableRun): ReactNode {
  const { common, trace: texts } = useTexts();
  const [test, setTest] = useState<string | null>(null);
  const [message, setMessage] = useState('');
  const make = (): void => setTest(testOfJournal({ journal, name: source.name, request: run.request }));
  const copy = async (text: string, page: Document): Promise<void> =>
    setMessage((await copyText(text, page)) ? common.copied : common.copyRefused);
  return (
    <section aria-label={texts.test}>
      <h4>{texts.runAsTest(run.number)}</h4>
      <p className="facts">{texts.testNote}</p>
      {test === null ? (
        <button onClick={make}>{texts.makeTest}</button>
      ) : (
        <>
          <button onClick={() => saveFile(`run-${run.number}.test.ts`, test, 'text/plain')}>
            {texts.saveTest}
          </button>
          <button onClick={({ currentTarget }) => void copy(test, currentTarget.ownerDocument)}>
            {texts.copyTest}
          </button>{' '}
          <span role="status" className="figure">
            {message}
          </span>
          <TextBlock label={texts.test}>{test.length > shown ? `${test.slice(0, shown)}…` : test}</TextBlock>
        </>
      )}
    </section>
  );
}
