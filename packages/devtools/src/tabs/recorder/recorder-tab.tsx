import { type ReactNode, useState } from 'react';
import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { saveFile } from '../../kit/save-file.ts';
import { TextBlock } from '../../kit/section.tsx';
import { recorderTexts as texts } from './recorder-texts.ts';

/** A recording; `tape` is null when it was too long to be kept. */
export type Recording = { readonly tape: string | null; readonly isWhole: boolean };

/** The ways to ask the program that records: for its recording, and for the line that runs the program again. */
type Recorder = { readonly tape: () => Promise<Recording>; readonly rerun: () => string };

/** The tab that makes a test of the recorded program. */
export function recorderTab(recorder: Recorder): Required<PanelTab> {
  return definePanelTab({ id: 'test', label: texts.tab, View: () => <TestView {...recorder} /> });
}

function TestView({ tape, rerun }: Recorder): ReactNode {
  const [message, setMessage] = useState('');
  const save = async (): Promise<void> => {
    const found = await tape().catch(() => null);
    if (found?.tape == null) return setMessage(found === null ? texts.gone : texts.tooLong);
    saveFile('run.tape', found.tape, 'application/x-ndjson');
    setMessage(found.isWhole ? texts.saved : texts.running);
  };
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="facts">{texts.about}</p>
      <TextBlock>{rerun()}</TextBlock>
      <button onClick={() => void save()}>{texts.save}</button>
      <p role="status">{message}</p>
    </div>
  );
}
