import { journalOfRun, runsOf } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { PanelTabProps } from '../../define-panel-tab.ts';
import { ReplayView } from './replay-view.tsx';
import { SaveView } from './save-view.tsx';
import { TestView } from './test-view.tsx';
import { useTexts } from '../../texts.ts';

/** The replay, test and file of a run. */
export function TraceView({ source, record }: PanelTabProps): ReactNode {
  const texts = useTexts().trace;
  const run = runsOf(record).at(-1);
  const journal = run ? journalOfRun(record, run) : null;
  const about = run && journal ? { source, run, journal } : null;
  return (
    <div className="detail scroll" tabIndex={0} role="group" aria-label={texts.label}>
      {about ? (
        <>
          {/* New keys, so that the result for another run or an earlier event is not shown. */}
          <ReplayView key={`replay ${about.run.executionId} ${about.run.last}`} {...about} />
          <TestView key={`test ${about.run.executionId} ${about.run.last}`} {...about} />
        </>
      ) : (
        <p className="facts">{texts.noReplay}</p>
      )}
      <SaveView name={source.name} record={record} />
    </div>
  );
}
