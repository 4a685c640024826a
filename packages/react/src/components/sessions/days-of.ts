'use client';

import type { SessionSummary } from '@vitrine/core';
import { useEffect, useState } from 'react';
import type { UsedTexts } from '../texts.ts';

type Days = { readonly name: string; readonly sessions: readonly SessionSummary[] };

const dayMs = 24 * 60 * 60 * 1000;

/** Groups sessions, newest first, by the time of their last message relative to `now`. */
export function daysOf(
  sessions: readonly SessionSummary[],
  now: number,
  texts: UsedTexts['sessions'],
): readonly Days[] {
  const groups: { name: string; sessions: SessionSummary[] }[] = [];
  for (const session of sessions) {
    const name = nameOf(session.updatedAt, now, texts);
    const last = groups.at(-1);
    if (last?.name === name) last.sessions.push(session);
    else groups.push({ name, sessions: [session] });
  }
  return groups;
}

function nameOf(time: number, now: number, texts: UsedTexts['sessions']): string {
  // An unreadable session has no time.
  if (time === 0) return texts.notReadable;
  // Rounded, because a day has 23 or 25 hours when clocks change.
  const days = Math.round((startOfDay(now) - startOfDay(time)) / dayMs);
  if (days <= 0) return texts.today;
  if (days === 1) return texts.yesterday;
  if (days < 7) return texts.last7Days;
  if (days < 30) return texts.last30Days;
  return texts.month(new Date(time));
}

function startOfDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0);
}

/** The current time, updated at midnight, because lists stay open for days. */
export function useToday(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const midnight = new Date(now).setHours(24, 0, 0, 0);
    const timer = setTimeout(() => setNow(Date.now()), Math.max(0, midnight - Date.now()));
    return () => clearTimeout(timer);
  }, [now]);
  return now;
}
