/** The text of a query as `pg` takes it: a text, or an object with one. */
export function textOf(asked: unknown): string {
  return String(typeof asked === 'object' && asked !== null && 'text' in asked ? asked.text : asked);
}
