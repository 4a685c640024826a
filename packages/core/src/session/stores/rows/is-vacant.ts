/** True for the head of an id without a session, damaged or not. Drivers can call it without the codec. */
export function isVacant(head: string): boolean {
  return /^[^{]*\{"format":\d+,"stamp":"[^"]*","vacant":\{/.test(head);
}
