import { useEffect, useState } from 'react';

export type Theme = 'light' | 'dark' | 'system';
const key = 'vitrine-demo:theme';
const order: readonly Theme[] = ['system', 'light', 'dark'];

/** The colour theme, remembered; `system` follows the device. */
export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(readTheme);
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme;
    try {
      localStorage.setItem(key, theme);
    } catch {
      // Not remembered then.
    }
  }, [theme]);
  return [theme, () => setTheme((current) => order[(order.indexOf(current) + 1) % order.length] ?? 'system')];
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return order.find((theme) => theme === stored) ?? 'system';
  } catch {
    return 'system';
  }
}
