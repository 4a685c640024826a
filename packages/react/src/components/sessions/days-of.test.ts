import type { SessionSummary } from '@vitrine/core';
import { expect, it } from 'vitest';
import { texts } from '../texts.ts';
import { daysOf } from './session-list.tsx';

it('sessions are grouped by the day of their last message', () => {
  const now = new Date(2026, 2, 30, 0, 30).getTime();
  const at = (...date: [number, number, number, number]): SessionSummary =>
    ({ id: date.join('-'), updatedAt: new Date(...date).getTime() }) as SessionSummary;
  const sessions = [
    at(2026, 2, 30, 0),
    at(2026, 2, 29, 23),
    at(2026, 2, 29, 1),
    at(2026, 2, 24, 9),
    at(2026, 2, 23, 23),
    at(2026, 1, 14, 9),
    { id: 'broken', updatedAt: 0 } as SessionSummary,
  ];
  expect(
    daysOf(sessions, now, texts.sessions).map(({ name, sessions: list }) => [name, list.length]),
  ).toEqual([
    ['Today', 1],
    ['Yesterday', 2],
    ['Previous 7 days', 1],
    ['Previous 30 days', 1],
    ['February 2026', 1],
    ['Not readable', 1],
  ]);
});
