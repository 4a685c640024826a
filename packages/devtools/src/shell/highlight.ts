/**
 * Frames a part of the page for a time, without a change to its attributes or styles.
 * @param ms How long; `Infinity` until it is ended.
 * @returns The function that ends it.
 */
export function highlight(element: Element, ms: number): () => void {
  const frame = { outline: '3px solid #14b8a6', outlineOffset: '2px' };
  // Not everywhere where panels are rendered there is something to be seen.
  const animation = element.animate?.([frame, frame], { duration: ms });
  return () => animation?.cancel();
}
