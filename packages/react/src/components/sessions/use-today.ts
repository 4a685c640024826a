'use client';

import { useEffect, useState } from 'react';

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
