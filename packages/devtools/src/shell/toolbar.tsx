import type { ReactNode } from 'react';
import { Popover } from '../kit/popover.tsx';
import type { DockPosition } from '../options.ts';
import { useTexts } from '../texts.ts';

type ToolbarProps = {
  /** The end of the line, which is there also for a session that cannot be drawn. */
  readonly tail: ReactNode;
  readonly children: ReactNode;
};

/** The one line above a session: what it is, how it is, its figures, and the menu. */
export function Toolbar({ tail, children }: ToolbarProps): ReactNode {
  return (
    <div className="toolbar beside firm">
      {children}
      <span className="tail firm">{tail}</span>
    </div>
  );
}

type ChoiceProps = {
  /** The accessible name of the list. */
  readonly label: string;
  readonly names: readonly string[];
  /** The group of each name; null for none. */
  readonly groups?: readonly (string | null)[];
  /** The index of the chosen name. */
  readonly value: number;
  readonly onChange: (index: number) => void;
  /** The visible part of the choice, which may be shorter than its name. */
  readonly children: ReactNode;
};

/** A list of choices behind a short text: the list itself lies over the text, unseen. */
export function Choice({ label, names, groups = [], value, onChange, children }: ChoiceProps): ReactNode {
  const options = names.map((name, index) => (
    <option key={index} value={index}>
      {name}
    </option>
  ));
  const inGroup = (group: string | null): ReactNode =>
    options.filter((_, index) => (groups[index] ?? null) === group);
  return (
    <span className="choice firm">
      {children}
      <span className="tiny" aria-hidden="true">
        ▾
      </span>
      <select aria-label={label} value={value} onChange={({ target }) => onChange(Number(target.value))}>
        {inGroup(null)}
        {[...new Set(groups.flatMap((group) => group ?? []))].map((group) => (
          <optgroup key={group} label={group}>
            {inGroup(group)}
          </optgroup>
        ))}
      </select>
    </span>
  );
}

/** The place of the panel, and the ways to move it. */
export type PanelPlaceProps = {
  /** Null when the panel cannot be moved. */
  readonly position: DockPosition | null;
  readonly onPosition: (position: DockPosition) => void;
  readonly isOut: boolean;
  readonly onWindow: () => void;
  readonly onClose: (() => void) | null;
};

type PanelMenuProps = PanelPlaceProps & {
  readonly onCommands: () => void;
  readonly isPicking: boolean;
  /** Null when there is nothing to pick from. */
  readonly onPick: (() => void) | null;
  /** Further entries. */
  readonly children?: ReactNode;
};

const after = (close: () => void, act: () => void) => (): void => {
  close();
  act();
};

/** The menu of the panel, and its close button. */
export function PanelMenu(props: PanelMenuProps): ReactNode {
  const { onCommands, isPicking, onPick, position, onPosition, isOut, onWindow, onClose, children } = props;
  const { shell, sides } = useTexts();
  return (
    <>
      <Popover label={shell.menu} mark="⋯">
        {(close) => (
          <>
            {onPick && (
              <button aria-pressed={isPicking} title={shell.inspectTitle} onClick={after(close, onPick)}>
                {shell.inspect}
              </button>
            )}
            <button title={shell.commandsTitle} onClick={after(close, onCommands)}>
              {shell.commands}
            </button>
            {children}
            <button className="placing" onClick={after(close, onWindow)}>
              {isOut ? shell.backIntoPage : shell.ownWindow}
            </button>
            {position && !isOut && (
              <span className="placing beside">
                {shell.dockSide}
                <select
                  aria-label={shell.dockSide}
                  value={position}
                  onChange={(event) => onPosition(event.target.value as DockPosition)}
                >
                  <option value="right">{sides.right}</option>
                  <option value="bottom">{sides.bottom}</option>
                  <option value="left">{sides.left}</option>
                  <option value="top">{sides.top}</option>
                </select>
              </span>
            )}
          </>
        )}
      </Popover>
      {onClose && (
        <button className="icon" aria-label={shell.close} onClick={onClose}>
          ✕
        </button>
      )}
    </>
  );
}
