/** Whether two views of a budget show the same figures, which are all that is in them. */
export function equalBudget(a: object, b: object): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
