import { shallow } from 'zustand/shallow';

type Lines = { readonly [limit: string]: unknown };

/** Whether two views of a budget show the same figures. */
export function equalBudget(a: object, b: object): boolean {
  if (a === b) return true;
  const [left, right] = [a as Lines, b as Lines];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length && names.every((name) => shallow(left[name], right[name]))
  );
}
