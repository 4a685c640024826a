import { useEffect, useState } from 'react';
import { useMediaQuery } from '../../shell/use-media-query.ts';
import { useSettings } from '../../settings/use-settings.ts';

/** What is drawn with, as the page has it now; a canvas knows nothing of styles. */
export type Colours = {
  readonly accent: string;
  readonly area: string;
  readonly grid: string;
  readonly text: string;
};

const unknown: Colours = { accent: '#0f766e', area: '#0f766e22', grid: '#8886', text: '#777' };

/** The colours of the page, also when its theme changes. */
export function useColours(): Colours {
  const { theme } = useSettings();
  const isDark = useMediaQuery('(prefers-color-scheme: dark)');
  const [colours, setColours] = useState(unknown);
  // Read once the theme holds, which is when it is committed.
  useEffect(() => setColours(coloursOfPage()), [theme, isDark]);
  return colours;
}

/** An element takes what a property says, and tells what became of it. */
function coloursOfPage(): Colours {
  const probe = document.body.appendChild(document.createElement('i'));
  const colourOf = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const accent = colourOf('--vitrine-accent');
  const colours: Colours = {
    accent,
    area: accent.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.14)'),
    grid: colourOf('--vitrine-border'),
    text: colourOf('--vitrine-muted'),
  };
  probe.remove();
  return colours;
}
