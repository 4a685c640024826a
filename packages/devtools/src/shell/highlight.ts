/**
 * Draws a frame around an element of the page for a time, without changing its attributes or styles.
 * @param ms Duration in milliseconds; `Infinity` until it is removed.
 * @returns The function that removes it.
 */
export function highlight(element: Element, ms: number): () => void {
  const frame = { outline: '3px solid #14b8a6', outlineOffset: '2px' };
  // `animate` is missing in test environments.
  const animation = element.animate?.([frame, frame], { duration: ms });
  return () => animation?.cancel();
}
