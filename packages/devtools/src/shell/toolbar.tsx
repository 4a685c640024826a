import type { HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { DockPosition } from '../options.ts';
import { useTexts } from '../texts.ts';

type ToolbarProps = {
  readonly sources: readonly HubSource[];
  readonly source: HubSource | null;
  readonly onSource: (source: HubSource | null) => void;
  readonly onCommands: () => void;
  readonly isPicking: boolean;
  /** Null when there is nothing to pick from. */
  readonly onPick: (() => void) | null;
  /** Shown after the list of sessions. */
  readonly children?: ReactNode;
  /** Null when the panel cannot be moved. */
  readonly position: DockPosition | null;
  readonly onPosition: (position: DockPosition) => void;
  /** True if the panel is in its own window. */
  readonly isOut: boolean;
  readonly onWindow: () => void;
  readonly onClose: (() => void) | null;
};

/** The toolbar: the choice of the session, the dock side and the close button. */
export function Toolbar(props: ToolbarProps): ReactNode {
  const { sources, source, onSource, position, onPosition, isPicking, onPick, isOut, onClose, children } =
    props;
  const { shell, sides } = useTexts();
  return (
    <div className="toolbar">
      <strong className="title">{shell.title}</strong>
      {sources.length > 1 && source && (
        <select
          aria-label={shell.session}
          value={sources.indexOf(source)}
          onChange={(event) => onSource(sources[Number(event.target.value)] ?? null)}
        >
          {namesOf(sources).map((name, index) => (
            <option key={index} value={index}>
              {name}
            </option>
          ))}
        </select>
      )}
      {children}
      <span className="spacer" />
      {source && (
        <>
          {onPick && (
            <button className="plain" aria-pressed={isPicking} title={shell.inspectTitle} onClick={onPick}>
              {shell.inspect}
            </button>
          )}
          <button className="plain" title={shell.commandsTitle} onClick={props.onCommands}>
            {shell.commands}
          </button>
        </>
      )}
      {position && !isOut && (
        <select
          className="placing"
          aria-label={shell.dockSide}
          value={position}
          onChange={(event) => onPosition(event.target.value as DockPosition)}
        >
          <option value="right">{sides.right}</option>
          <option value="bottom">{sides.bottom}</option>
          <option value="left">{sides.left}</option>
          <option value="top">{sides.top}</option>
        </select>
      )}
      <button
        className="plain placing"
        aria-label={isOut ? shell.backIntoPage : shell.ownWindow}
        onClick={props.onWindow}
      >
        {isOut ? shell.dock : shell.window}
      </button>
      {onClose && (
        <button className="plain" aria-label={shell.close} onClick={onClose}>
          ✕
        </button>
      )}
    </div>
  );
}

/** Number of characters of an id that usually identify it. */
const shortId = 8;

/** Unique display names of the sources in a list. */
function namesOf(sources: readonly HubSource[]): readonly string[] {
  const short = sources.map(({ name, id }) => `${name} · ${id.slice(0, shortId)}`);
  const whole = short.map((name, index) =>
    isOnce(name, short) ? name : `${sources[index]?.name} · ${sources[index]?.id}`,
  );
  return whole.map((name, index) =>
    isOnce(name, whole)
      ? name
      : `${name} (${whole.slice(0, index + 1).filter((one) => one === name).length})`,
  );
}

function isOnce(name: string, names: readonly string[]): boolean {
  return names.indexOf(name) === names.lastIndexOf(name);
}
