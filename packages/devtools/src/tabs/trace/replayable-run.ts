import type { HubSource, JournalDocument, RecordedRun } from '@vitrine/core/inspect';

/** A run with its recorded journal. */
export type ReplayableRun = {
  readonly source: HubSource;
  readonly run: RecordedRun;
  readonly journal: JournalDocument;
};
