import type { HubSource } from '@vitrine/core/inspect';
import type { ReactNode } from 'react';
import type { DockPosition } from '../options.ts';
import { namesOf } from './names-of.ts';

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
  return (
    <div className="toolbar">
      <strong className="title">Vitrine</strong>
      {sources.length > 1 && source && (
        <select
          aria-label="Session"
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
            <button
              className="plain"
              aria-pressed={isPicking}
              title="Choose a message or a call in the page"
              onClick={onPick}
            >
              Inspect
            </button>
          )}
          <button className="plain" title="Ctrl+K or ⌘K" onClick={props.onCommands}>
            Commands
          </button>
        </>
      )}
      {position && !isOut && (
        <select
          className="placing"
          aria-label="Dock side"
          value={position}
          onChange={(event) => onPosition(event.target.value as DockPosition)}
        >
          <option value="right">right</option>
          <option value="bottom">bottom</option>
          <option value="left">left</option>
          <option value="top">top</option>
        </select>
      )}
      <button
        className="plain placing"
        aria-label={isOut ? 'Back into the page' : 'Own window'}
        onClick={props.onWindow}
      >
        {isOut ? 'Dock' : 'Window'}
      </button>
      {onClose && (
        <button className="plain" aria-label="Close devtools" onClick={onClose}>
          ✕
        </button>
      )}
    </div>
  );
}
