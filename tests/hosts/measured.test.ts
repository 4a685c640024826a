import { expect, it } from 'vitest';
import { lateIn, summaryOf } from './measured.ts';
import type { DonePart } from './progress.ts';

const name = 'ms after SIGKILL';
const part = (ms: number, failure?: string): DonePart => ({
  name: 'takeovers',
  host: 'dbos',
  part: `${ms}`,
  seed: 1,
  counted: failure === undefined ? { killed: 1, [name]: ms } : {},
  ...(failure !== undefined && { failure }),
});

it('takeovers of which one in a hundred takes over 5 s fail the proof with a sentence', () => {
  const quick = Array.from({ length: 198 }, (_, i) => part(300 + i));
  expect(lateIn([...quick, part(400), part(9000)], { [name]: 5000 })).toEqual([]);
  expect(lateIn([...quick, part(5001), part(9000)], { [name]: 5000 })).toEqual([
    expect.stringMatching(/p99 of "ms after SIGKILL" is 5001, and may be 5000\. Was the machine quiet\?/),
  ]);
  expect(lateIn([part(5001)], { [name]: 5000 })).toHaveLength(1);
  expect(lateIn([], { [name]: 5000 })).toEqual([]);
});

it('the summary of a case has sums, percentiles and failures', () => {
  expect(summaryOf([part(100), part(300), part(0, 'It hung.')])).toBe(
    '2 killed, ms after SIGKILL: p50 300, p99 300, most 300, 1 of 3 parts FAILED',
  );
});
