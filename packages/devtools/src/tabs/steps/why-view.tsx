import type { ReactNode } from 'react';
import { StopReport } from '../stop/stop-report.tsx';
import type { StepPageProps } from './step-page-props.ts';
import { stepVerdict } from './step-verdict.ts';

/** Why it went on after a step, or why it stopped there. */
export function WhyView({ record, source, isOfSubagent }: StepPageProps): ReactNode {
  return (
    <>
      <p className="verdict">{stepVerdict(record)}</p>
      {record.isRecorded || record.number === record.steps ? (
        <StopReport record={record.after} budgetOf={isOfSubagent ? null : source} />
      ) : (
        <p className="facts">
          The checks of this step were not recorded. What stopped the run stands at its last step.
        </p>
      )}
    </>
  );
}
