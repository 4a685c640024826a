import type { HubSource } from '@vitrine/core/inspect';
import type { StepRecord } from './step-record.ts';

/** What a page of the inspector is about. */
export type StepPageProps = {
  readonly record: StepRecord;
  readonly source: HubSource;
  /** The step is one of a subagent, of which the source does not tell. */
  readonly isOfSubagent: boolean;
};
