import { describe, expect, it } from 'vitest';
import { redact, redacted } from '@vitrine/inspect/internal/redact';
import { AgentError } from './agent-error.ts';
import { copyJson, equalJson, type JsonValue, jsonSize } from './json.ts';
import { diffJson } from '@vitrine/inspect/internal/diff';
import { freeze } from './freeze.ts';
import { mask, maskSecretsIn } from './mask-secrets.ts';
import { toJson } from './to-json.ts';

const levels = 100_000;

/** Nested lists around a text. */
function nest(inner: string): JsonValue {
  let value: JsonValue = inner;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

describe('a value of 100,000 levels', () => {
  it('a value of 100,000 levels is compared to the end', () => {
    expect(equalJson(nest('a'), nest('a'))).toBe(true);
    expect(equalJson(nest('a'), nest('b'))).toBe(false);
  });

  it('a value of 100,000 levels is measured and frozen to the end', () => {
    const value = nest('a');
    expect(jsonSize(value)).toBe(3 * levels + 3);
    freeze(value);
    let inner: unknown = value;
    while (Array.isArray(inner) && Object.isFrozen(inner)) [inner] = inner;
    expect(inner).toBe('a');
  });

  it('two values that differ at the last level of a document are different', () => {
    expect(diffJson(nest('a'), nest('b'))).toMatchObject([{ kind: 'changed', path: { length: 1_000 } }]);
  });

  it('a value of 100,000 levels is cut or rejected by functions that copy', () => {
    expect(JSON.stringify(toJson(nest('a')))).toContain('[Too deep]');
    expect(JSON.stringify(maskSecretsIn(nest('a')))).toContain(mask);
    expect(JSON.stringify(redact(nest('a')))).toContain(redacted);
    const refuse = (_path: string, what: string): Error => new AgentError('state-invalid', what);
    expect(() => copyJson(nest('a'), { maxDepth: 1_000, refuse })).toThrow('deeper than 1000');
  });
});
