import type { ReactNode } from 'react';
import { StopReport } from '../stop/stop-report.tsx';
import type { StepPageProps } from './step-page-props.ts';
import { stepVerdict } from './step-verdict.ts';
import { useTexts } from '../../texts.ts';

/** The reason why the run went on or stopped after a step. */
export function WhyView({ record, source, isOfSubagent }: StepPageProps): ReactNode {
  const texts = useTexts();
  return (
    <>
      <p className="verdict">{stepVerdict(record, texts)}</p>
      {record.isRecorded || record.number === record.steps ? (
        <StopReport record={record.after} budgetOf={isOfSubagent ? null : source} />
      ) : (
        <p className="facts">{texts.why.checksNotRecorded}</p>
      )}
    </>
  );
}
