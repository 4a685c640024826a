import { describe, expect, it } from 'vitest';
import { formatTexts as formats } from './format-texts.ts';

describe('the formatting of figures', () => {
  it('a number has commas and at most one decimal', () => {
    expect([0, 12, 1234.56, 1_000_000].map(formats.number)).toEqual(['0', '12', '1,234.6', '1,000,000']);
  });

  it('a cost has cents, and more digits below a cent', () => {
    expect([0, 1.5, 0.00042, 0.000001].map(formats.cost)).toEqual([
      '$0.00',
      '$1.50',
      '$0.00042',
      '<$0.00001',
    ]);
  });

  it('a duration is in milliseconds below a second, then in seconds, and in minutes or hours from ten minutes on', () => {
    expect([599_900, 600_000, 3_599_000, 3_600_000, 172_859_000].map(formats.duration)).toEqual([
      '599.9 s',
      '10 min 0 s',
      '59 min 59 s',
      '1 h 0 min',
      '48 h 0 min',
    ]);
    expect([999.6, 1000].map(formats.duration)).toEqual(['1.00 s', '1.00 s']);
    expect([0, 0.4, 1, 999.4, 1000, 9990, 10_000, 125_430].map(formats.duration)).toEqual([
      '<1 ms',
      '<1 ms',
      '1 ms',
      '999 ms',
      '1.00 s',
      '9.99 s',
      '10.0 s',
      '125.4 s',
    ]);
  });

  it('a time difference has its sign', () => {
    expect([0, 1250, -3].map(formats.since)).toEqual(['+0.000 s', '+1.250 s', '-0.003 s']);
  });

  it('a count has its noun in the singular or plural', () => {
    expect([0, 1, 2000].map((count) => formats.count(count, 'call'))).toEqual([
      '0 calls',
      '1 call',
      '2,000 calls',
    ]);
  });
});
