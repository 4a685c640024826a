import type { Recorder } from '@vitrine/inspect';
import {
  type ComponentType,
  type CSSProperties,
  type ReactNode,
  Suspense,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { PanelWindow, Times, type TimesSetting } from '../kit/contexts.ts';
import { useLatest } from '../kit/use-latest.ts';
import { ErrorBoundary } from '../kit/later.tsx';
import { Notice } from '../kit/notice.tsx';
import type { AgentDevtoolsOptions, DockPosition } from '../options.ts';
import { type Texts, TextsInUse, textsWith, useTexts } from '../texts.ts';
import { type Command, ShellCommands } from './commands.ts';
import { Launcher } from './launcher.tsx';
import type { PanelProps } from './panel.tsx';
import { Splitter } from './splitter.tsx';
import { pageRoom, type Settings, sizeOf, useSettings } from './use-settings.ts';
import { type ShownTheme, useTheme } from './use-theme.ts';

type DevtoolsAppProps = {
  readonly options: AgentDevtoolsOptions;
  readonly recorder: Recorder;
  /** The content of the panel; rendered only while it is open. */
  readonly LoadedPanel: ComponentType<PanelProps>;
  readonly isEmbedded: boolean;
  readonly isViewer: boolean;
  /** The window that contains the panel. */
  readonly view: Window | null;
  /** Moves the panel into its own window; returns false when the browser blocks the window. */
  readonly onPopOut: () => boolean;
  readonly onPopIn: () => void;
};

const sides: readonly DockPosition[] = ['right', 'bottom', 'left', 'top'];

/** The button, or the panel while it is open. A closed panel looks only at the ends and pauses of runs. */
export function DevtoolsApp(props: DevtoolsAppProps): ReactNode {
  const { options, recorder, LoadedPanel, isEmbedded, isViewer, view, onPopOut, onPopIn } = props;
  const texts = useMemo(() => textsWith(options.texts), [options.texts]);
  const theme = useTheme(options.theme ?? 'system');
  const [settings, change] = useSettings(options);
  const [error, setError] = useState('');
  const panel = useRef<HTMLElement>(null);
  const isOut = view !== null && view !== window;
  const isOpen = isEmbedded || isOut || settings.isOpen;
  const { position } = settings;
  const size = sizeOf(settings);
  const [wasClosed, setWasClosed] = useState(false);
  const giveBack = useFocus(settings, panel);
  const close = (): void => {
    onPopIn();
    setWasClosed(!giveBack());
    change({ isOpen: false });
  };
  const turnWindow = (): void => {
    if (isOut) return onPopIn();
    setError(onPopOut() ? '' : texts.shell.popUpBlocked);
  };
  useReservedRoom(isEmbedded || !isOpen ? null : isOut ? 'window' : position, size);
  useHotkey(options.hotkey, view, isEmbedded ? null : () => (isOpen ? close() : change({ isOpen: true })));
  const times: TimesSetting = {
    isRelative: settings.isRelative,
    turn: () => change({ isRelative: !settings.isRelative }),
  };
  const commands = shellCommands({
    times,
    isOut,
    turnWindow,
    dock: isEmbedded || isOut ? null : (side) => change({ position: side }),
    close: isEmbedded ? null : close,
    texts,
  });

  if (!isOpen)
    return (
      <Themed {...{ theme, texts }} direction={options.direction}>
        <Launcher {...{ options, recorder }} hasFocus={wasClosed} onOpen={() => change({ isOpen: true })} />
      </Themed>
    );
  const dock = isOut ? 'window' : isEmbedded ? 'embedded' : position;
  return (
    <Themed {...{ theme, texts }} direction={options.direction}>
      <section
        ref={panel}
        tabIndex={-1}
        className={`dock ${dock}`}
        style={{ '--size': `${size}px` } as CSSProperties}
        aria-label={texts.shell.panel}
      >
        {!isEmbedded && !isOut && (
          <Splitter position={position} size={size} onSize={(next) => change({ size: next })} />
        )}
        <Notice text={error} role="alert" />
        <Around {...{ view, commands, times }}>
          <LoadedPanel
            recorder={recorder}
            isViewer={isViewer}
            tabs={options.tabs}
            detectors={options.detectors}
            tab={settings.tab}
            onTab={(tab) => change({ tab })}
            position={isEmbedded ? null : position}
            onPosition={(next) => change({ position: next })}
            isOut={isOut}
            onWindow={turnWindow}
            onClose={isEmbedded ? null : close}
          />
        </Around>
      </section>
    </Themed>
  );
}

type ThemedProps = {
  readonly theme: ShownTheme;
  readonly direction: AgentDevtoolsOptions['direction'];
  readonly texts: Texts;
  readonly children: ReactNode;
};

function Themed({ theme, direction = 'ltr', texts, children }: ThemedProps): ReactNode {
  return (
    <TextsInUse.Provider value={texts}>
      <div className="theme" data-theme={theme} dir={direction}>
        {children}
      </div>
    </TextsInUse.Provider>
  );
}

type AroundProps = {
  readonly view: Window | null;
  readonly commands: readonly Command[];
  readonly times: TimesSetting;
  readonly children: ReactNode;
};

/** The contexts of the panel's window and settings. */
function Around({ view, commands, times, children }: AroundProps): ReactNode {
  const { common } = useTexts();
  return (
    <ErrorBoundary>
      <PanelWindow.Provider value={view}>
        <ShellCommands.Provider value={commands}>
          <Times.Provider value={times}>
            <Suspense fallback={<p className="empty">{common.loading}</p>}>{children}</Suspense>
          </Times.Provider>
        </ShellCommands.Provider>
      </PanelWindow.Provider>
    </ErrorBoundary>
  );
}

type Shell = {
  readonly times: TimesSetting;
  readonly isOut: boolean;
  readonly turnWindow: () => void;
  readonly dock: ((side: DockPosition) => void) | null;
  readonly close: (() => void) | null;
  readonly texts: Texts;
};

function shellCommands({ times, isOut, turnWindow, dock, close, texts }: Shell): readonly Command[] {
  return [
    { name: isOut ? texts.shell.backIntoPage : texts.shell.ownWindow, run: turnWindow },
    ...(dock
      ? sides.map((side) => ({ name: texts.commands.dock(texts.sides[side]), run: () => dock(side) }))
      : []),
    { name: times.isRelative ? texts.commands.timesByClock : texts.commands.timesFromStart, run: times.turn },
    ...(close ? [{ name: texts.shell.close, run: close }] : []),
  ];
}

/**
 * Focuses the panel when a person opens it. A page that loads with an open panel keeps its focus.
 * @returns Gives the focus back to where it was on the page; false when it was at the button.
 */
function useFocus({ isOpen }: Settings, panel: { readonly current: HTMLElement | null }): () => boolean {
  const wasOpen = useRef(isOpen);
  const before = useRef<HTMLElement | null>(null);
  useEffect(() => {
    if (!wasOpen.current && isOpen) {
      const focused = document.activeElement;
      // The button of the panel is in its shadow root, so that only its host is seen from here.
      before.current = focused?.shadowRoot || focused === document.body ? null : (focused as HTMLElement);
      panel.current?.focus();
    }
    wasOpen.current = isOpen;
  }, [isOpen, panel]);
  return () => {
    const element = before.current;
    before.current = null;
    if (element?.isConnected !== true) return false;
    element.focus();
    return true;
  };
}

/** Width below which the panel is a sheet at the bottom, whatever its dock side. */
const narrowWidth = 720;

/**
 * Publishes the size of the panel to the page as `--vitrine-devtools-left`, `-right`, `-top` or `-bottom`
 * on the root element, for layouts that make room for it, and `--vitrine-devtools-window: 1` while the panel is
 * in a window of its own, so that no room is left for its button. Other pages are not affected.
 * @param place Null while the panel is closed, or a part of the page.
 */
function useReservedRoom(place: DockPosition | 'window' | null, size: number): void {
  useEffect(() => {
    if (place === null) return undefined;
    const { style } = document.documentElement;
    const name = `--vitrine-devtools-${place}`;
    if (place === 'window') {
      style.setProperty(name, '1');
      return () => void style.removeProperty(name);
    }
    const isSide = place === 'left' || place === 'right';
    const available = (): number => (isSide ? window.innerWidth : window.innerHeight);
    const update = (): void => {
      if (window.innerWidth < narrowWidth) style.removeProperty(name);
      else style.setProperty(name, `${Math.min(size, available() - pageRoom)}px`);
    };
    update();
    window.addEventListener('resize', update);
    return () => {
      style.removeProperty(name);
      window.removeEventListener('resize', update);
    };
  }, [place, size]);
}

const usual = 'Alt+Shift+V';

/**
 * Listens for the hotkey on the page and in the panel's window, unless another handler has used the key
 * press. Null disables it.
 */
function useHotkey(hotkey: string | null = usual, view: Window | null, act: (() => void) | null): void {
  const latest = useLatest(act);
  const isActive = act !== null;
  useEffect(() => {
    if (hotkey === null || !isActive) return undefined;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.repeat || !isHotkey(event, hotkey)) return;
      event.preventDefault();
      latest.current?.();
    };
    const documents = new Set([document, view?.document ?? document]);
    for (const one of documents) one.addEventListener('keydown', onKeyDown);
    return () => {
      for (const one of documents) one.removeEventListener('keydown', onKeyDown);
    };
  }, [hotkey, view, isActive, latest]);
}

const modifiers = ['Alt', 'Control', 'Meta', 'Shift'] as const;

/** Tells whether a key press matches a hotkey like `Alt+Shift+V`. */
function isHotkey(event: KeyboardEvent, hotkey: string): boolean {
  const keys = hotkey.split('+').map((key) => key.trim());
  const last = keys.at(-1) ?? '';
  const isKey = [last, `Key${last.toUpperCase()}`, `Digit${last}`].includes(event.code);
  if (!isKey || event.isComposing) return false;
  return modifiers.every((name) => event.getModifierState(name) === keys.slice(0, -1).includes(name));
}
