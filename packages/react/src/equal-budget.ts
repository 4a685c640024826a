/** Compares two views of a budget by their figures. */
export function equalBudget(a: object, b: object): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
