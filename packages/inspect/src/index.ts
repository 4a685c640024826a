// The API for tools that observe agents. Everything but `forkRuns` only reads.
export { type StateDifference, diff } from './diff.ts';
export {
  defineDetector,
  type Detector,
  type DetectorArea,
  type DetectorInit,
  type DetectorReads,
  type FindingInit,
  type FindingWithdrawal,
  type ReadEvent,
  type Seen,
} from './findings/detector.ts';
export { detectors } from './findings/diagnose.ts';
export { diagnose, type DiagnosedJournal, type DiagnoseOptions } from './findings/diagnose.ts';
export { createDiagnosis, type Diagnosis } from './findings/diagnosis.ts';
export type { Finding, FindingAddress, FindingEvidence, FindingSeverity } from './findings/finding.ts';
export {
  eventsOf,
  type JournalRecord,
  type RecordedEvent,
  type RecordedPage,
  stateAt,
  stateBefore,
} from './journal-record.ts';
export { type ForkEdit, type ForkOptions, type Forks, forkRuns } from './fork-runs.ts';
export type { ForkSwitch } from './fork-switches.ts';
// Expectations about runs, and the experiments that find what breaks them.
export type { Expectation } from './experiments/expectation.ts';
export { type CaseResult, checkCase } from './experiments/case.ts';
export { type Judge, meets, type Met } from './experiments/meets.ts';
export type { Experiment, ExperimentOptions, ExperimentRow } from './experiments/plan-experiment.ts';
export { runExperiment } from './experiments/run-experiment.ts';
export type { Variant } from './experiments/variants.ts';
export { type LeftOut, leftOut } from './left-out.ts';
export { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts';
export { type JournalDocument, journalOfRun } from './replay/journal-document.ts';
export { replay, type Replayed, type ReplayOptions } from './replay/replay.ts';
export { type RecordedRun, runsOf } from './runs-of.ts';
export { localChannel } from './remote/local-channel.ts';
export { broadcastChannel, type RemoteChannel, windowChannel } from './remote/remote-channel.ts';
export { shareSessions } from './remote/share-sessions.ts';
export { watchSessions } from './remote/watch-sessions.ts';
export {
  redact,
  redacted,
  type Redaction,
  type RedactOptions,
  type Sanitize,
  sanitizeWith,
} from './redact.ts';
export { testOfJournal, type TestOfJournal } from './trace/test-of-journal.ts';
export {
  exportTrace,
  type ImportedTrace,
  importTrace,
  type TraceDocument,
  type TraceExport,
  type TraceOptions,
} from './trace/trace.ts';
export {
  type HubSource,
  type SessionHub,
  sessionHub,
  type SourceKnowledge,
} from '@vitrine/core/internal/session/hub';
export type { JsonDifference } from './diff.ts';
// Questions about recorded runs, as tools for agents that debug other agents.
export { type Question, questionsAbout } from './questions/questions.ts';
export type { QuestionAnswer } from './questions/fit-answer.ts';
export type { AskedSession } from './questions/places.ts';
export type { EventBuffer } from './events.ts';
