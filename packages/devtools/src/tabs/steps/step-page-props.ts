import type { HubSource } from '@vitrine/core/inspect';
import type { StepRecord } from './step-record.ts';

/** Props of a page of the inspector. */
export type StepPageProps = {
  readonly record: StepRecord;
  readonly source: HubSource;
  /** True for a step of a subagent, for which the source has no data. */
  readonly isOfSubagent: boolean;
};
