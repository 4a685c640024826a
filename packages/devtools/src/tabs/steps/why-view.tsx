import type { HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import { StopReport } from '../stop/stop-report.tsx';
import type { StepRecord } from './step-record.ts';
import { stepVerdict } from './step-verdict.ts';

type WhyViewProps = { readonly record: StepRecord; readonly source: HubSource };

/** Why it went on after a step, or why it stopped there. */
export function WhyView({ record, source }: WhyViewProps): ReactNode {
  return (
    <>
      <p className="verdict">{stepVerdict(record)}</p>
      {record.isRecorded ? (
        <StopReport record={record.after} source={source} />
      ) : (
        <p className="facts">
          The checks of this step were not recorded. What stopped the run stands in the tab Stop.
        </p>
      )}
    </>
  );
}
