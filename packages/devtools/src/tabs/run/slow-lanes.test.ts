import { describe, expect, it } from 'vitest';
import { everything, filterLanes, toolsOf, hideFolded } from './run-filter.tsx';
import { laneOf } from './lane.fixture.ts';
import { slowLanes } from './slow-lanes.ts';

const took = (ms: number, given: object = {}): ReturnType<typeof laneOf> => laneOf({ to: ms, ...given });

describe('slow lanes', () => {
  it('a slow lane took at least three times the usual duration and one second', () => {
    const lanes = [took(500), took(600), took(400), took(1900), took(700)];
    expect([...slowLanes(lanes)]).toEqual([lanes[3]!.id]);
    expect(slowLanes([took(10), took(10), took(10), took(900)]).size).toBe(0);
  });

  it('among few lanes, a slow lane took at least half of the time', () => {
    const lanes = [took(500), took(4000)];
    expect([...slowLanes(lanes)]).toEqual([lanes[1]!.id]);
  });

  it('a lane that waited for a person or is in progress is not slow', () => {
    expect(slowLanes([took(60_000, { kinds: ['person'] }), took(900)]).size).toBe(0);
    expect(slowLanes([took(60_000, { isOpen: true })]).size).toBe(0);
  });
});

describe('waiting for several people', () => {
  const asked = (from: number, to: number): object => ({ kind: 'person', from, to });

  it('the waiting times for several people count once when they overlap', () => {
    const waiting = took(20_000, { segments: [asked(0, 11_000), asked(0, 11_000)] });
    expect([...slowLanes([waiting, took(900)])]).toEqual([waiting.id]);
  });

  it('a wait for a person in a subagent does not make a lane slow', () => {
    const lanes = [
      took(60_000),
      took(60_000, { kind: 'call', depth: 1 }),
      took(60_000, { depth: 2 }),
      took(60_000, { kind: 'call', depth: 3, segments: [asked(0, 59_500)] }),
    ];
    expect(slowLanes(lanes).size).toBe(0);
  });
});

describe('the rows of the waterfall', () => {
  const lanes = [
    laneOf({ id: '1', tools: ['a'] }),
    laneOf({ id: '1a', kind: 'call', depth: 1, label: 'a' }),
    laneOf({ id: '2', tools: ['b'], hasError: true }),
    laneOf({ id: '2b', kind: 'call', depth: 1, label: 'b', hasError: true }),
    laneOf({ id: '2b1', depth: 2 }),
    laneOf({ id: '3' }),
  ];
  const ids = (found: typeof lanes | readonly (typeof lanes)[number][]): string =>
    found.map(({ id }) => id).join(' ');

  it('a filter by errors, slowness or tool keeps whole steps', () => {
    const none = new Set<string>();
    expect(ids(filterLanes(lanes, everything, none))).toBe('1 1a 2 2b 2b1 3');
    expect(ids(filterLanes(lanes, { only: 'errors', tool: '' }, none))).toBe('2 2b 2b1');
    expect(ids(filterLanes(lanes, { only: 'slow', tool: '' }, new Set(['2b1'])))).toBe('2 2b 2b1');
    expect(ids(filterLanes(lanes, { only: 'all', tool: 'a' }, none))).toBe('1 1a');
    expect(ids(filterLanes(lanes, { only: 'errors', tool: 'a' }, none))).toBe('');
    expect(toolsOf(lanes)).toEqual(['a', 'b']);
  });

  it('folded lanes hide the lanes below them', () => {
    expect(ids(hideFolded(lanes, new Set(['2b'])))).toBe('1 1a 2 2b 3');
    expect(ids(hideFolded(lanes, new Set(['1', '2'])))).toBe('1 2 3');
  });
});
