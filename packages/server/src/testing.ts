export { testSessionHost, type HostCheck } from './testing/test-session-host.ts';
export type { HostUnderTest, MakeHost } from './testing/host-law.ts';
