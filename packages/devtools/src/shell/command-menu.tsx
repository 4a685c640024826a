import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { css } from '../kit/css.ts';
import { useTexts } from '../texts.ts';
import { type Command, matchCommands } from './commands.ts';

type CommandMenuProps = { readonly commands: readonly Command[]; readonly onClose: () => void };

/** The command menu: a text field that filters the commands. */
export function CommandMenu({ commands, onClose }: CommandMenuProps): ReactNode {
  const texts = useTexts();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const found = matchCommands(commands, text.trim());
  useFocusWhileOpen(field);
  const chosen = found[active];
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // `scrollIntoView` is missing in test environments.
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView?.({ block: 'nearest' });
  }, [chosen?.name]);
  const run = (command: Command | undefined): void => {
    if (!command) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: active + 1, ArrowUp: active - 1 };
    const next = moves[event.key];
    if (event.key === 'Escape') onClose();
    else if (event.key === 'Enter') run(chosen);
    else if (next !== undefined) setActive((next + found.length) % Math.max(1, found.length));
    // The dialog has no other focus target, and the content behind it must stay unreachable.
    else if (event.key !== 'Tab') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="commands-back" onClick={onClose}>
      <div
        className="commands stacked"
        role="dialog"
        aria-label={texts.shell.commands}
        onClick={(event) => event.stopPropagation()}
      >
        <input
          ref={field}
          type="search"
          role="combobox"
          aria-label={texts.commands.field}
          aria-expanded="true"
          aria-controls="commands"
          aria-activedescendant={chosen && `command-${active}`}
          placeholder={texts.commands.placeholder}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div
          ref={list}
          id="commands"
          className="command-list"
          role="listbox"
          aria-label={texts.shell.commands}
        >
          {found.map((command, index) => (
            <div
              key={command.name}
              id={`command-${index}`}
              className="cut"
              role="option"
              aria-selected={index === active}
              onClick={() => run(command)}
            >
              {command.name}
            </div>
          ))}
        </div>
        {found.length === 0 && <p className="empty">{texts.commands.none}</p>}
      </div>
    </div>
  );
}

/** Focuses a field, and gives the focus back at the end. */
function useFocusWhileOpen(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const before = (field.current?.getRootNode() as ShadowRoot | undefined)?.activeElement;
    field.current?.focus();
    return () => (before as HTMLElement | null)?.focus();
  }, [field]);
}

/** The styles of the command menu and of the hint of the page picker. */
export const commandStyles: string = css`
  .panel {
    position: relative;
    container: panel / inline-size;
  }
  .session {
    display: contents;
  }
  .commands-back {
    position: absolute;
    inset: 0;
    z-index: 3;
    display: flex;
    justify-content: center;
    align-items: flex-start;
    padding: 24px 12px;
    background: rgb(0 0 0 / 0.25);
  }
  .commands {
    width: min(460px, 100%);
    max-height: 100%;
    border: 1px solid var(--border);
    border-radius: 9px;
    overflow: hidden;
    background: var(--bg);
    box-shadow: 0 8px 30px rgb(0 0 0 / 0.3);

    > input {
      padding: 8px 12px;
      border: 0;
      border-bottom: 1px solid var(--border);
      border-radius: 0;
      font-size: 13px;
    }
  }
  .command-list {
    overflow: auto;

    [role='option'] {
      padding: 5px 12px;
      white-space: nowrap;
      cursor: pointer;
    }
    [role='option']:hover,
    [aria-selected='true'] {
      background: var(--select);
    }
  }
  .picker {
    margin: 0;
    padding: 4px 10px;
    border-bottom: 1px solid var(--border);
    background: var(--select);
    color: var(--text);
  }
`;
