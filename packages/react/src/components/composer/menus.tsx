'use client';

import { type ReactNode, type RefObject, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { isComposing } from '../kit/keyboard.ts';
import { takeUnlessLeft } from '../kit/take-unless-left.ts';
import { showMenu } from '../kit/use-menu.ts';
import { VisibleText } from '../kit/visible-text.tsx';
import { menuTexts } from '../later-texts.ts';
import { useTexts } from '../texts-provider.tsx';

/** An entry of a menu of the message box. */
export type MenuEntry = {
  /** The name, by which a list is filtered. */
  readonly label: string;
  readonly description?: string;
  /** The text that takes the place of the typed word. Default: the sign with the label; with `onChoose` nothing. */
  readonly insert?: string;
  /** Called when the person chooses the entry. */
  readonly onChoose?: () => void;
};

type Entries = readonly MenuEntry[];

/**
 * Menus of the message box by the sign that opens them, such as `/` or `@`: a list, or a function that finds entries for
 * what is typed behind the sign. Its signal aborts when the person types on.
 */
export type Menus = {
  readonly [sign: string]: Entries | ((query: string, signal: AbortSignal) => Entries | Promise<Entries>);
};

const most = { entries: 50, letters: 60 };
/** At most one menu is open on a page: that of the field with the focus. */
const id = 'vitrine-field-menu';

const signOf = (word: string, menus: Menus): string =>
  Object.keys(menus).find((sign) => sign !== '' && word.startsWith(sign)) ?? '';

/** The word before the caret, when it begins with the sign of a menu. Else empty, as in a field that is read only. */
function wordIn(field: HTMLTextAreaElement | null, menus: Menus): string {
  if (field?.selectionStart !== field?.selectionEnd || !field?.matches(':focus:read-write')) return '';
  const word = field.value.slice(0, field.selectionEnd).split(/\s/).at(-1) ?? '';
  return signOf(word, menus) === '' || word.length > most.letters ? '' : word;
}

function onCaret(listener: () => void): () => void {
  const listening = new AbortController();
  for (const type of ['selectionchange', 'focusin', 'focusout'])
    document.addEventListener(type, listener, { signal: listening.signal });
  return () => listening.abort();
}

/** Replaces the letters before the caret as typing does, so that the undo of the browser brings them back. */
function replaceBefore(field: HTMLTextAreaElement, letters: number, text: string): void {
  const to = field.selectionEnd;
  field.focus();
  field.setSelectionRange(to - letters, to);
  if (document.execCommand?.(text === '' ? 'delete' : 'insertText', false, text)) return;
  field.setRangeText(text, to - letters, to, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

async function find(menus: Menus, sign: string, query: string, signal: AbortSignal): Promise<Entries> {
  const source = menus[sign] ?? [];
  const isIn = ({ label }: MenuEntry): boolean => label.toLowerCase().includes(query.toLowerCase());
  const found = typeof source === 'function' ? await source(query, signal) : source.filter(isIn);
  return found.slice(0, most.entries);
}

type MenusProps = { readonly menus: Menus; readonly field: RefObject<HTMLTextAreaElement | null> };

/**
 * The menus of a message box: typing a sign such as `/` opens a list of the application, and what follows filters it. The
 * focus stays in the field, which names the marked option: a field of several lines may not be a combobox by itself.
 */
export function FieldMenus({ menus, field }: MenusProps): ReactNode {
  const look = (): string => wordIn(field.current, menus);
  const word = useSyncExternalStore(onCaret, look, look);
  const [isClosed, setClosed] = useState(false);
  // Escape counts for one word.
  if (isClosed && word === '') setClosed(false);
  const sign = signOf(word, menus);
  if (isClosed || sign === '') return null;
  const end = (entry?: MenuEntry): void => {
    setClosed(true);
    if (!entry || !field.current) return;
    const { label, onChoose, insert = onChoose ? '' : `${sign}${label}` } = entry;
    const isApart = insert === '' || /^\s/.test(field.current.value.slice(field.current.selectionEnd));
    replaceBefore(field.current, word.length, isApart ? insert : `${insert} `);
    onChoose?.();
  };
  return <Options key={sign} {...{ menus, field, word, sign }} onEnd={end} />;
}

type OptionsProps = MenusProps & {
  readonly word: string;
  readonly sign: string;
  /** Closes the menu, with the entry that was chosen. */
  readonly onEnd: (entry?: MenuEntry) => void;
};

function Options({ menus, field, word, sign, onEnd }: OptionsProps): ReactNode {
  const texts = { ...menuTexts, ...useTexts().menus };
  const menu = useRef<HTMLDivElement>(null);
  // The entries for the word before stay until those for this one are there.
  const [found, setFound] = useState<Entries | 'searching' | 'failed'>('searching');
  const entries = typeof found === 'string' ? [] : found;
  const [at, setAt] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    const take = (next: typeof found): void => {
      setFound(next);
      setAt(0);
    };
    const asked = find(menus, sign, word.slice(sign.length), ending.signal);
    const leave = takeUnlessLeft(asked, take, () => take('failed'));
    return () => {
      leave();
      ending.abort();
    };
  }, [menus, sign, word]);
  useEffect(() => {
    const element = field.current;
    const entry = entries[at];
    const mark = (by: number) => (): void => setAt((at + by + entries.length) % entries.length);
    const choose = entry && ((): void => onEnd(entry));
    const moves = entry && { ArrowDown: mark(1), ArrowUp: mark(-1), Enter: choose, Tab: choose };
    const keys: Readonly<Record<string, (() => void) | undefined>> = { Escape: () => onEnd(), ...moves };
    // Before the field itself, whose Enter sends and whose Escape stops an answer.
    const onKeyDown = (event: KeyboardEvent): void => {
      const { shiftKey, ctrlKey, altKey, metaKey } = event;
      const isOther = isComposing({ nativeEvent: event }) || shiftKey || ctrlKey || altKey || metaKey;
      const act = isOther ? undefined : keys[event.key];
      if (act === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      act();
    };
    const attributes = {
      'aria-autocomplete': 'list',
      'aria-controls': id,
      ...(entry && { 'aria-activedescendant': `${id}-${at}` }),
    };
    for (const [name, value] of Object.entries(attributes)) element?.setAttribute(name, value);
    element?.addEventListener('keydown', onKeyDown, true);
    showMenu(menu.current);
    menu.current?.querySelector('[aria-selected=true]')?.scrollIntoView?.({ block: 'nearest' });
    return () => {
      for (const name of Object.keys(attributes)) element?.removeAttribute(name);
      element?.removeEventListener('keydown', onKeyDown, true);
    };
  });
  return (
    // The field keeps the focus. What scrolls has to be reached by Tab, which chooses here.
    <div
      className="vitrine-menu-items vitrine-field-menu"
      ref={menu}
      tabIndex={entries.length === 0 ? -1 : 0}
      onMouseDown={(event) => event.preventDefault()}
    >
      <ul role="listbox" id={id} aria-label={texts.label(sign)}>
        {entries.map((entry, index) => (
          <li
            key={index}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === at}
            dir="auto"
            onClick={() => onEnd(entry)}
          >
            <VisibleText text={entry.label} />
            <small>
              <VisibleText text={entry.description ?? ''} />
            </small>
          </li>
        ))}
      </ul>
      <p role="status">{typeof found === 'string' ? texts[found] : texts.found(found.length)}</p>
    </div>
  );
}
