/** The description of one argument in a JSON Schema. */
export type DescribedArgument = {
  /** The type besides null; null when the schema names no single type. */
  readonly type: string | null;
  /** Empty if the schema has no description. */
  readonly description: string;
  /** The allowed texts; empty if any text is allowed. */
  readonly choices: readonly string[];
  readonly isNullable: boolean;
};

type Schema = Readonly<Record<string, unknown>>;

/**
 * Reads the schema of an argument. A nullable argument keeps its other type, in any notation of "nullable".
 */
export function describedArgument(schema: unknown): DescribedArgument {
  const outer = isObject(schema) ? schema : {};
  const { inner, isNullable } = withoutNull(outer);
  const { enum: values, type } = inner;
  const description = outer['description'] ?? inner['description'];
  return {
    type: typeof type === 'string' ? type : null,
    description: typeof description === 'string' ? description : '',
    choices:
      Array.isArray(values) && values.every((value): value is string => typeof value === 'string')
        ? values
        : [],
    isNullable,
  };
}

function withoutNull(schema: Schema): { readonly inner: Schema; readonly isNullable: boolean } {
  const { type, enum: values } = schema;
  const any = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(any)) {
    const others = any.filter((one) => !isObject(one) || one['type'] !== 'null');
    const [only] = others;
    if (others.length === 1 && any.length === 2 && isObject(only)) return { inner: only, isNullable: true };
    return { inner: schema, isNullable: false };
  }
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type];
  const isNullable = Array.isArray(type) && types.length < type.length;
  const inner = {
    ...schema,
    type: types.length === 1 ? types[0] : undefined,
    ...(isNullable && Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {}),
  };
  return { inner, isNullable };
}

export function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
