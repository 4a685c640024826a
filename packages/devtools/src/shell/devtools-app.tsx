import type { Recorder } from '@vitrine/core/inspect';
import { type CSSProperties, type ReactNode, useEffect, useRef, useState } from 'react';
import type { AgentDevtoolsOptions, DockPosition } from '../options.ts';
import { ErrorBoundary } from '../kit/error-boundary.tsx';
import { Panel } from './panel.tsx';
import { readSettings, type Settings, writeSettings } from './settings.ts';
import { Splitter } from './splitter.tsx';
import { useReservedRoom } from './use-reserved-room.ts';

type DevtoolsAppProps = {
  readonly options: AgentDevtoolsOptions;
  readonly recorder: Recorder;
  readonly isEmbedded: boolean;
};

/** The button, and the panel while it is open: a closed panel subscribes to nothing. */
export function DevtoolsApp({ options, recorder, isEmbedded }: DevtoolsAppProps): ReactNode {
  const {
    theme = 'system',
    position = 'bottom',
    initialIsOpen = false,
    buttonPosition = 'bottom-right',
  } = options;
  const [settings, setSettings] = useState<Settings>(() =>
    readSettings({
      isOpen: initialIsOpen,
      position,
      size: position === 'left' || position === 'right' ? 460 : 360,
      tab: 'run',
    }),
  );
  const launcher = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const wasOpen = useRef(settings.isOpen);
  const change = (next: Partial<Settings>): void => setSettings((current) => ({ ...current, ...next }));
  const isOpen = isEmbedded || settings.isOpen;

  useEffect(() => writeSettings(settings), [settings]);
  useReservedRoom(settings, isEmbedded);
  useEffect(() => {
    if (wasOpen.current && !settings.isOpen) launcher.current?.focus();
    // Only when it was opened by hand: a page that loads with the panel keeps its own focus.
    if (!wasOpen.current && settings.isOpen) panel.current?.focus();
    wasOpen.current = settings.isOpen;
  }, [settings.isOpen]);

  if (!isOpen) {
    return (
      <div className="theme" data-theme={theme}>
        <button
          ref={launcher}
          className={`launcher ${buttonPosition}`}
          aria-label="Open Vitrine devtools"
          onClick={() => change({ isOpen: true })}
        >
          <Mark />
        </button>
      </div>
    );
  }
  const dock: DockPosition | 'embedded' = isEmbedded ? 'embedded' : settings.position;
  return (
    <div className="theme" data-theme={theme}>
      <section
        ref={panel}
        tabIndex={-1}
        className={`dock ${dock}`}
        style={{ '--size': `${settings.size}px` } as CSSProperties}
        aria-label="Vitrine devtools"
      >
        {!isEmbedded && (
          <Splitter position={settings.position} size={settings.size} onSize={(size) => change({ size })} />
        )}
        <ErrorBoundary>
          <Panel
            recorder={recorder}
            tab={settings.tab}
            onTab={(tab) => change({ tab })}
            position={isEmbedded ? null : settings.position}
            onPosition={(next) => change({ position: next })}
            onClose={isEmbedded ? null : () => change({ isOpen: false })}
          />
        </ErrorBoundary>
      </section>
    </div>
  );
}

function Mark(): ReactNode {
  return (
    <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true">
      <path
        d="M6 8l10 17L26 8"
        fill="none"
        stroke="currentColor"
        strokeWidth="4"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
