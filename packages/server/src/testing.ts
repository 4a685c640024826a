export { testSessionHost, type HostSuiteOptions } from './testing/test-session-host.ts';
export { type LawProcessOptions, runLawProcess } from './testing/law-process.ts';
export type { ProcessEnd } from './testing/process-laws.ts';
export type { HostUnderTest, MakeHost } from './testing/host-law.ts';
