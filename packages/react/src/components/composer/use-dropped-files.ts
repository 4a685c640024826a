'use client';

import { type RefObject, useEffect, useRef, useState } from 'react';

type Add = ((files: FileList) => void) | null;

type Box = {
  readonly form: HTMLElement;
  readonly add: RefObject<Add>;
  readonly show: (isAimed: boolean) => void;
};

/** The message boxes of the page; the one that was used last is the last one. */
const boxes: Box[] = [];

let aimed: Box | null = null;
/** Ends the listeners of the page with its last message box. */
let listening = new AbortController();

/**
 * Takes the files that are dropped anywhere on the window, so that the browser never leaves the page to open them.
 *
 * With several message boxes, a file goes to the chat that it is dropped on, otherwise to the box that was used last.
 * Drops that another part of the page takes, by `preventDefault`, are left to it.
 * @param add Null leaves files out; the browser stays on the page all the same.
 * @returns True while a drop would go to this message box.
 */
export function useDroppedFiles(form: RefObject<HTMLElement | null>, add: Add): boolean {
  const [isAimed, show] = useState(false);
  const latest = useRef(add);
  useEffect(() => {
    latest.current = add;
  });
  useEffect(() => {
    const element = form.current;
    if (element === null) return undefined;
    const box: Box = { form: element, add: latest, show };
    const use = (): void => void boxes.push(...boxes.splice(boxes.indexOf(box), 1));
    if (boxes.length === 0) listen();
    boxes.push(box);
    element.addEventListener('focusin', use);
    return () => {
      element.removeEventListener('focusin', use);
      if (aimed === box) aim(null);
      boxes.splice(boxes.indexOf(box), 1);
      if (boxes.length === 0) listening.abort();
    };
  }, [form]);
  return isAimed;
}

function listen(): void {
  listening = new AbortController();
  const { signal } = listening;
  window.addEventListener('dragover', onDragOver, { signal });
  window.addEventListener('dragleave', onDragLeave, { signal });
  window.addEventListener('drop', onDrop, { signal });
}

function onDragOver(event: DragEvent): void {
  if (!isForUs(event)) return aim(null);
  event.preventDefault();
  const box = boxAt(event);
  if (box === null && event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  aim(box);
}

function onDragLeave({ relatedTarget }: DragEvent): void {
  // A frame keeps the events of a drag above it.
  if (relatedTarget === null || relatedTarget instanceof HTMLIFrameElement) aim(null);
}

function onDrop(event: DragEvent): void {
  aim(null);
  if (!isForUs(event)) return;
  event.preventDefault();
  if (event.dataTransfer !== null) boxAt(event)?.add.current?.(event.dataTransfer.files);
}

/** Shows the message box to which a drop would go, until the drag is over. */
function aim(next: Box | null): void {
  if (next === aimed) return;
  aimed?.show(false);
  aimed = next;
  aimed?.show(true);
}

/** True for a drag with files that nothing else on the page takes. */
function isForUs(event: DragEvent): boolean {
  const [target] = event.composedPath();
  const isFileField = target instanceof Element && target.matches('input[type="file"]');
  return event.dataTransfer?.types.includes('Files') === true && !event.defaultPrevented && !isFileField;
}

/** The message box of the chat at an event, elsewhere the one that was used last; null when it takes no files. */
function boxAt(event: DragEvent): Box | null {
  const path = event.composedPath();
  const chatOf = ({ form }: Box): Element => form.closest('.vitrine-chat') ?? form;
  const takesFiles = ({ add }: Box): boolean => add.current !== null;
  const under = boxes.findLast((box) => path.includes(chatOf(box)));
  if (under !== undefined) return takesFiles(under) ? under : null;
  return boxes.findLast(takesFiles) ?? null;
}
