import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { equalJson } from '@vitrine/core/internal/kit/json';
import type { Detector, Recorder } from '@vitrine/inspect';
import { useCases } from '../kit/cases.ts';
import { whenLoaded } from '../kit/when-loaded.ts';
import type { AgentDevtoolsOptions, ButtonPosition } from '../options.ts';
import type { ClosedState } from './closed-state.ts';
import { useTexts } from '../texts.ts';

type LauncherProps = {
  readonly options: AgentDevtoolsOptions;
  /** True after a person closed the panel; the button then takes the focus. */
  readonly hasFocus: boolean;
  readonly recorder: Recorder;
  readonly onOpen: () => void;
};

/** The button that opens the panel. It leaves its corner while it would cover a control of the page. */
export function Launcher({ options, hasFocus, recorder, onOpen }: LauncherProps): ReactNode {
  const { buttonPosition: corner = 'bottom-right', detectors } = options;
  const texts = useTexts().shell;
  const button = useRef<HTMLButtonElement>(null);
  const shift = useFreePlace(button, corner);
  const { faults, isPaused } = useClosedState(recorder, detectors);
  const redCases = useCases().filter(({ met }) => met === false).length;
  const count = faults + redCases;
  useEffect(() => {
    if (hasFocus) button.current?.focus();
  }, [hasFocus]);
  return (
    <button
      ref={button}
      className={`launcher ${corner}`}
      style={{ marginBlock: corner.startsWith('top') ? `${shift}px 0` : `0 ${shift}px` }}
      data-fault={count > 0}
      data-paused={isPaused}
      aria-label={texts.open(faults, isPaused, redCases)}
      onClick={onOpen}
    >
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
      {(count > 0 || isPaused) && (
        <span className="launcher-count" aria-hidden="true">
          {count > 0 ? count : '❚❚'}
        </span>
      )}
    </button>
  );
}

const quiet: ClosedState = { faults: 0, isPaused: false };

/** Milliseconds that a page has for itself before the button looks at its runs. */
const idleAfter = 300;

/** The state of the sessions while the panel is closed. Its code is loaded when the page has begun. */
function useClosedState(recorder: Recorder, detectors: readonly Detector[] | undefined): ClosedState {
  const [state, setState] = useState(quiet);
  useEffect(() => {
    let end = (): void => undefined;
    const timer = setTimeout(() => {
      end = whenLoaded(async () => {
        const { watchClosed } = await import('./closed-state.ts');
        return () =>
          watchClosed(recorder, detectors, (next) =>
            setState((before) => (equalJson(before, next) ? before : next)),
          );
      });
    }, idleAfter);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [recorder, detectors]);
  return state;
}

/** Events after which controls of the page may be elsewhere, besides changes of its elements. */
const moves = ['resize', 'scroll', 'input', 'transitionend'] as const;

/** Milliseconds in which several changes of the page are looked at together. */
const lookEvery = 150;

/** The pixels between a corner and the nearest place, up or down, where the button covers no control of the page. */
function useFreePlace(button: RefObject<HTMLElement | null>, corner: ButtonPosition): number {
  const [shift, setShift] = useState(0);
  useEffect(() => {
    // Pages without layout, as jsdom, have no places.
    if (!('elementsFromPoint' in document)) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      timer = undefined;
      if (button.current) setShift((before) => freeShift(button.current as HTMLElement, corner, before));
    };
    const lookSoon = (): void => {
      timer ??= setTimeout(look, lookEvery);
    };
    const observer = new MutationObserver(lookSoon);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    for (const move of moves) window.addEventListener(move, lookSoon, true);
    lookSoon();
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      for (const move of moves) window.removeEventListener(move, lookSoon, true);
    };
  }, [button, corner]);
  return shift;
}

/** Pixels around the button that stay free, too. */
const gap = 6;

/** The smallest shift at which the button covers no control; 0 when there is none in its half of the page. */
function freeShift(button: HTMLElement, corner: ButtonPosition, before: number): number {
  const isTop = corner.startsWith('top');
  const { top: shownTop, left, height, width } = button.getBoundingClientRect();
  const home = isTop ? shownTop - before : shownTop + before;
  for (let shift = 0; shift < innerHeight / 2;) {
    const top = isTop ? home + shift : home - shift;
    const covered = controlUnder({ top, left, height, width }, button);
    if (covered === null) return shift;
    const edge = covered.getBoundingClientRect();
    const clear = isTop ? edge.bottom + gap - home : home + height + gap - edge.top;
    shift = Math.ceil(Math.max(clear, shift + gap));
  }
  return 0;
}

type Box = { readonly top: number; readonly left: number; readonly height: number; readonly width: number };

/** A control of the page in an area. The points are nearer to each other than the smallest target is wide. */
function controlUnder({ top, left, height, width }: Box, button: HTMLElement): Element | null {
  for (const down of [0, 0.5, 1])
    for (const right of [0, 0.5, 1]) {
      const x = left - gap + right * (width + 2 * gap);
      const y = top - gap + down * (height + 2 * gap);
      const control = elementAt(x, y, button)?.closest(controls);
      if (control) return control;
    }
  return null;
}

/** The selector of elements that a person presses or fills in. */
const controls = 'a[href],button,input,select,textarea,summary,[role=button],[contenteditable=true]';

/** The element of the page at a point, in shadow roots too, as if the button were not there. */
function elementAt(x: number, y: number, button: HTMLElement): Element | null {
  const root = button.getRootNode();
  const own = root instanceof ShadowRoot ? root.host : button;
  let found: Element | undefined;
  let within: DocumentOrShadowRoot | null = document;
  while (within !== null) {
    const at: Element | undefined = within.elementsFromPoint(x, y).find((element) => element !== own);
    if (at === undefined || at === found) break;
    found = at;
    within = at.shadowRoot;
  }
  return found ?? null;
}
