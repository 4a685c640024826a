// oxlint-disable-next-line vitrine/direction -- the counter of the bounded reader has no public name
import { workUnits } from '../../packages/core/src/kit/work.ts';

type Method = (this: unknown, ...given: never[]) => unknown;
type Cost = (text: string, given: readonly unknown[], result: unknown) => number;

let counted = 0;

// oxlint-disable-next-line typescript/unbound-method -- as it is before it is counted
const placeOf = String.prototype.indexOf;

/** Characters between the place where a search begins and the place where it ends. */
const searched: Cost = (text, given, result) => {
  const at =
    typeof result === 'number' ? result : result === true ? placeOf.call(text, String(given[0])) : -1;
  return (at < 0 ? text.length : at) + 1;
};
const whole: Cost = (text) => text.length + 1;
const one: Cost = () => 1;

/** The characters that each string method reads. Slices share the characters of their string. */
const costs: Readonly<Record<string, Cost>> = {
  charAt: one,
  charCodeAt: one,
  codePointAt: one,
  at: one,
  slice: one,
  substring: one,
  startsWith: (_text, given) => String(given[0]).length,
  endsWith: (_text, given) => String(given[0]).length,
  indexOf: (text, given, result) => Math.max(1, searched(text, given, result) - Number(given[1] ?? 0)),
  lastIndexOf: (text, _given, result) => text.length - Number(result),
  includes: searched,
  split: whole,
  replace: whole,
  replaceAll: whole,
  match: whole,
  matchAll: whole,
  search: whole,
  toLowerCase: whole,
  toUpperCase: whole,
  normalize: whole,
  trim: (text, _given, result) => text.length - String(result).length + 1,
  trimStart: (text, _given, result) => text.length - String(result).length + 1,
  trimEnd: (text, _given, result) => text.length - String(result).length + 1,
};

function replaceMethod(holder: object, name: string, wrap: (old: Method) => Method): () => void {
  const methods = holder as Record<string, Method>;
  const old = methods[name] as Method;
  methods[name] = wrap(old);
  return () => {
    methods[name] = old;
  };
}

function watchTexts(): readonly (() => void)[] {
  return Object.entries(costs).map(([name, cost]) =>
    replaceMethod(
      String.prototype,
      name,
      (old) =>
        function counting(this: unknown, ...given: never[]) {
          const result = old.apply(this, given);
          const text = this as string;
          counted += cost(text, given, result);
          return result;
        },
    ),
  );
}

/** From where a pattern begins to the end of its match; to the end of the text where it finds none. */
function watchPatterns(): () => void {
  return replaceMethod(
    RegExp.prototype,
    'exec',
    (old) =>
      function counting(this: unknown, ...given: never[]) {
        const pattern = this as RegExp;
        const text = String(given[0]);
        const start = pattern.global || pattern.sticky ? pattern.lastIndex : 0;
        const found = old.apply(this, given) as RegExpExecArray | null;
        counted += (found === null ? text.length : found.index + found[0].length) - start + 1;
        return found;
      },
  );
}

function watchJson(): readonly (() => void)[] {
  const add = (text: unknown): void => void (counted += typeof text === 'string' ? text.length : 1);
  return [
    replaceMethod(
      JSON,
      'parse',
      (old) =>
        function counting(this: unknown, ...given: never[]) {
          add(given[0]);
          return old.apply(this, given);
        },
    ),
    replaceMethod(
      JSON,
      'stringify',
      (old) =>
        function counting(this: unknown, ...given: never[]) {
          const text = old.apply(this, given);
          add(text);
          return text;
        },
    ),
  ];
}

/**
 * The units of work that an act takes: characters that methods of texts and patterns look at, values that are read of
 * what `watched` gave, and what the bounded reader counts itself. No clock is read.
 */
export async function unitsOf(act: () => unknown): Promise<number> {
  const before = workUnits();
  counted = 0;
  const restore = [...watchTexts(), watchPatterns(), ...watchJson()];
  try {
    await act();
  } finally {
    for (const back of restore) back();
  }
  return counted + workUnits() - before;
}

/** The same JSON, of which every read of a property is counted. */
export function watched(value: unknown): unknown {
  const known = new WeakMap<object, object>();
  const wrap = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const found = known.get(inner) ?? new Proxy(inner, handler);
    known.set(inner, found);
    return found;
  };
  const handler: ProxyHandler<object> = {
    get(target, name) {
      counted++;
      return wrap(Reflect.get(target, name));
    },
    has(target, name) {
      counted++;
      return Reflect.has(target, name);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      counted += keys.length;
      return keys;
    },
    getOwnPropertyDescriptor(target, name) {
      counted++;
      const found = Reflect.getOwnPropertyDescriptor(target, name);
      return found?.configurable ? { ...found, value: wrap(found.value) } : found;
    },
  };
  return wrap(value);
}
