import type { ReactNode } from 'react';

const paths = {
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 3v1M12 20v1M3 12h1M20 12h1M5.6 5.6l.7.7M17.7 17.7l.7.7M5.6 18.4l.7-.7M17.7 6.3l.7-.7',
  moon: 'M19 14a7.5 7.5 0 01-9-9 7.5 7.5 0 109 9z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  plus: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12',
  panel: 'M4 5h16v14H4zM4 13h16',
} as const;

export type IconName = keyof typeof paths;

/** A decorative icon; the control around it has the accessible name. */
export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="vitrine-icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}
