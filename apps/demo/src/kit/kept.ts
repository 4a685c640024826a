/** Reads an object that the browser keeps; an empty one when there is none, or none that can be read. */
export function readKept<Value extends object>(key: string): { readonly [Key in keyof Value]?: unknown } {
  try {
    return (JSON.parse(localStorage.getItem(key) ?? '{}') as Value | null) ?? {};
  } catch {
    return {};
  }
}

/** Keeps a value for the next visit, unless the browser refuses storage. */
export function keep(key: string, value: object): void {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The page works the same, and begins without it next time.
  }
}
