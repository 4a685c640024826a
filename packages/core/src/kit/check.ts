// Checks of unknown data. A table of fields says once what a noun is made of: events are checked by it, and its
// structure makes the codec of stored documents (`graph/document/shape.ts`).
import { documentJson, isPlainObject, type JsonObject, type JsonValue } from './json.ts';
import { work } from './work.ts';

/** The first fault of a value: the keys that lead to it, innermost first, and the value expected there. */
export type Fault = { readonly keys: (string | number)[]; readonly what: string };

/**
 * A check of unknown data: null for a value of the type, else its first fault. A check looks at each value once, and
 * never at a prototype. `level` is the number of recursions above the value, or `ofDocument`.
 */
export type Check<Value> = ((value: unknown, level: number) => Fault | null) &
  Structure & {
    /** The type of valid values, for the compiler. A check of more or fewer values is another type. */
    readonly type?: (value: Value) => Value;
  };

// oxlint-disable-next-line typescript/no-explicit-any -- a check of any type
export type AnyCheck = Check<any>;

/** The parts of a check, for codecs; a check without parts is of a value that is its own JSON. */
type Structure = {
  readonly fields?: AnyFields;
  /** True for an object that is stored as it is, with all its fields. */
  readonly isPlain?: boolean;
  readonly item?: AnyCheck;
  /** The value of each entry of a record. */
  readonly entry?: AnyCheck;
  /** The check that a value has to pass, where there are several; undefined for a value without parts. */
  readonly choose?: (value: unknown) => AnyCheck | undefined;
};

export type Field<Value> = {
  readonly check: AnyCheck;
  /** The value that is not stored, and that is read where there is none. */
  readonly usual?: unknown;
  /** The JSON that is not stored, and that is read where there is none. */
  readonly absent?: object;
  readonly isOptional?: never;
  readonly type?: (value: Value) => Value;
};
/** A field that may be absent, or undefined. */
export type OptionalField<Value> = Omit<Field<Value>, 'isOptional'> & { readonly isOptional: true };
type AnyField = Omit<Field<unknown>, 'isOptional' | 'type'> & { readonly isOptional?: true | undefined };
export type AnyFields = { readonly [name: string]: AnyCheck | AnyField };

/** The fields of a type; the compiler asks for each. */
export type FieldsOf<Value> = {
  readonly [Key in keyof Value]-?: object extends Pick<Value, Key>
    ? OptionalField<Exclude<Value[Key], undefined>>
    : Check<Value[Key]> | Field<Value[Key]>;
};

/** The type of an object with these fields, for tables of which no type is written down. */
export type ValuesOf<Fields> = {
  readonly [Key in keyof Fields as Fields[Key] extends { readonly isOptional: true } ? never : Key]: ValueOf<
    Fields[Key]
  >;
} & {
  readonly [Key in keyof Fields as Fields[Key] extends { readonly isOptional: true } ? Key : never]?: ValueOf<
    Fields[Key]
  >;
};
/** The type of the values of a check or a field. */
export type ValueOf<Given> = Given extends { readonly type?: (value: infer Value) => unknown }
  ? Value
  : never;

/** The check of an object, with its fields for the shapes that replace some of them. */
export type ObjectCheck<Value> = Check<Value> & { readonly fields: FieldsOf<Value> };

/** The level of a value that was parsed or copied as JSON: it is JSON and not too deep, and may lack usual fields. */
export const ofDocument = Number.NEGATIVE_INFINITY;
/** The most levels of a value in an event. The document around the value has the rest. */
const mostLevels = documentJson.depth - 100;

export function pathOf({ keys }: Fault): string {
  return [...keys].reverse().join('.');
}

function fault(what: string): Fault {
  return { keys: [], what };
}

function below(found: Fault, key: string | number): Fault {
  found.keys.push(key);
  return found;
}

/** A check by a function; `what` is the expectation in errors. */
export function checkBy<Value>(isValid: (value: unknown) => boolean, what: string): Check<Value> {
  return (value) => (isValid(value) ? null : fault(what));
}

export const text = checkBy<string>((value) => typeof value === 'string', 'expected text');
export const flag = checkBy<boolean>((value) => typeof value === 'boolean', 'expected true or false');
export const number = checkBy<number>(Number.isFinite, 'expected a number');
export const amount = checkBy<number>(
  (value) => Number.isFinite(value) && (value as number) >= 0,
  'expected a number of at least 0',
);
export const timestamp = checkBy<number>(Number.isSafeInteger, 'expected a whole number');
export const count = checkBy<number>(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  'expected a whole number of at least 0',
);
/** A value that a document can hold: JSON of limited depth, in which properties may be undefined. */
export const json: Check<JsonValue> = (value, level) =>
  (level === ofDocument ? value !== undefined : isJson(value)) ? null : fault('expected JSON');
export const jsonObject: Check<JsonObject> = (value, level) =>
  isPlainObject(value) && (level === ofDocument || isJson(value)) ? null : fault('expected a JSON object');

function isJson(value: unknown): boolean {
  const open: [value: unknown, level: number][] = [[value, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    work.units++;
    const [inner, level] = next;
    if (typeof inner === 'string' || typeof inner === 'boolean' || inner === null) continue;
    if (typeof inner === 'number' && Number.isFinite(inner)) continue;
    const isList = Array.isArray(inner);
    if (level > mostLevels || !(isList || isPlainObject(inner))) return false;
    const children = isList
      ? // A hole is no JSON, and `for` over a list gives it as undefined.
        Array.from<unknown>(inner)
      : Object.values(inner).filter((child) => child !== undefined);
    for (const child of children) open.push([child, level + 1]);
  }
  return true;
}

export function literal<const Values extends readonly (string | boolean)[]>(
  ...values: Values
): Check<Values[number]> {
  return checkBy((value) => (values as readonly unknown[]).includes(value), expectedOf(values));
}

function expectedOf(values: readonly (string | boolean)[]): string {
  return `expected ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
}

export function nullable<Value>(inner: Check<Value>): Check<Value | null> {
  const check = (value: unknown, level: number): Fault | null =>
    value === null ? null : inner(value, level);
  const hasParts = 'fields' in inner || 'item' in inner || 'entry' in inner || 'choose' in inner;
  return hasParts
    ? Object.assign(check, { choose: (value: unknown) => (value === null ? undefined : inner) })
    : check;
}

/** A list; a hole in it is an undefined item. */
export function list<Item>(item: Check<Item>): Check<readonly Item[]> {
  const check = (value: unknown, level: number): Fault | null => {
    if (!Array.isArray(value)) return fault('expected a list');
    for (let at = 0; at < value.length; at++) {
      const found = item(value[at], level);
      if (found !== null) return below(found, at);
    }
    return null;
  };
  return Object.assign(check, { item });
}

/** A list of a fixed length, with a check for each place. */
export function tuple<Items extends readonly unknown[]>(
  ...items: { readonly [At in keyof Items]: Check<Items[At]> }
): Check<Readonly<Items>> {
  return (value, level) => {
    if (!Array.isArray(value) || value.length !== items.length)
      return fault(`expected a list of ${items.length}`);
    for (const [at, item] of items.entries()) {
      const found = (item as AnyCheck)(value[at], level);
      if (found !== null) return below(found, at);
    }
    return null;
  };
}

/** An object with any keys, `__proto__` included, and values of one kind. */
export function record<Value>(entry: Check<Value>): Check<{ readonly [key: string]: Value }> {
  const check = (value: unknown, level: number): Fault | null => {
    if (!isPlainObject(value)) return fault('expected an object');
    for (const key of Object.keys(value)) {
      const found = entry(value[key], level);
      if (found !== null) return below(found, key);
    }
    return null;
  };
  return Object.assign(check, { entry });
}

/** JSON has no instances of classes, and looking for the prototype of each object takes time. */
function isObject(value: unknown, level: number): value is { readonly [key: string]: unknown } {
  if (level !== ofDocument) return isPlainObject(value);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An object of which unknown fields are not read, and fields with their usual value not stored. */
export function object<Value extends object>(fields: FieldsOf<Value>): ObjectCheck<Value> {
  // Lists are walked faster than objects, and each delta is checked.
  const known = Object.entries(fields as unknown as AnyFields).map(([name, field]) => {
    const { check, isOptional, ...rest } = typeof field === 'function' ? { check: field } : field;
    return { name, check, isOptional, isUsual: 'usual' in rest || 'absent' in rest };
  });
  const check = (value: unknown, level: number): Fault | null => {
    if (!isObject(value, level)) return fault('expected an object');
    for (const { name, check: checkField, isOptional, isUsual } of known) {
      const child = value[name];
      if (child === undefined && (isOptional || (isUsual && level === ofDocument))) continue;
      const found = checkField(child, level);
      if (found !== null) return below(found, name);
    }
    return null;
  };
  return Object.assign(check, { fields });
}

/** An object whose type is that of its fields. */
export function objectOf<const Fields extends AnyFields>(fields: Fields): ObjectCheck<ValuesOf<Fields>> {
  return object<object>(fields as never) as never;
}

/** An object of which unknown fields are not read, and all others are stored as they are. */
export function plain<Value extends object>(fields: FieldsOf<Value>): ObjectCheck<Value> {
  return Object.assign(object(fields), { isPlain: true });
}

/** An object with these fields among others, all of which are kept. */
export function loose<Value extends object>(fields: { readonly [name: string]: AnyCheck }): Check<Value> {
  const check = object<object>(fields);
  return (value, level) => check(value, level);
}

/** One of several objects, told apart by their `type`. */
export function union<Value extends { readonly type: string }>(byType: {
  readonly [Type in Value['type']]: Check<Extract<Value, { readonly type: Type }>>;
}): Check<Value> {
  const checks: ReadonlyMap<unknown, AnyCheck> = new Map(Object.entries(byType));
  const choose = (value: unknown): AnyCheck | undefined =>
    checks.get((value as { readonly type?: unknown } | null | undefined)?.type);
  const what = expectedOf(Object.keys(byType));
  const check = (value: unknown, level: number): Fault | null => {
    const chosen = choose(value);
    if (chosen !== undefined) return chosen(value, level);
    return isPlainObject(value) ? below(fault(what), 'type') : fault('expected an object');
  };
  return Object.assign(check, { choose });
}

/** A value of one of two kinds. The fault that lies deeper is the one of the kind that was meant. */
export function either<A, B>(first: Check<A>, second: Check<B>): Check<A | B> {
  const check = (value: unknown, level: number): Fault | null => {
    const [one, other] = [first(value, level), second(value, level)];
    if (one === null || other === null) return null;
    return one.keys.length > other.keys.length ? one : other;
  };
  const choose = (value: unknown): AnyCheck => (first(value, ofDocument) === null ? first : second);
  return Object.assign(check, { choose });
}

/** A value of the kind that contains it, such as the cause of an error. Its depth is limited. */
export function self<Value>(get: () => Check<Value>): Check<Value> {
  const check = (value: unknown, level: number): Fault | null =>
    level >= mostLevels ? fault('it is nested too deep') : get()(value, level + 1);
  return Object.assign(check, { choose: get });
}

/** A field that is not stored while it has its usual value: null, empty, or another one. */
export function or<Value>(given: Check<Value> | Field<Value>, usual: null): Field<Value | null>;
export function or<Value>(given: Check<Value> | Field<Value>, usual: NoInfer<Value>): Field<Value>;
export function or(given: AnyCheck | Field<unknown>, usual: unknown): Field<unknown> {
  const field = typeof given === 'function' ? { check: given } : given;
  return { ...field, check: usual === null ? nullable(field.check) : field.check, usual };
}

export function optional<Value>(given: Check<Value> | Field<Value>): OptionalField<Value> {
  return { ...(typeof given === 'function' ? { check: given } : given), isOptional: true };
}
