import { describe, expect, it } from 'vitest';
import { functionNameFault, valueNameFault } from '../../scripts/lint/function-names.ts';

describe('the names of functions', () => {
  it('a bare participle is no name of a function', () => {
    for (const name of ['opened', 'written', 'taken', 'told', 'kept', 'unstored', 'found', 'waiting'])
      expect(functionNameFault(name)).toMatch(`${name}: a function is a verb with its object`);
  });

  it('a verb, a participle with another word, and a noun are names of functions', () => {
    for (const name of [
      'open',
      'readStored',
      'takenAt',
      'whenSettled',
      'shorten',
      'need',
      'unlimited',
      'stateOf',
      'remaining',
    ])
      expect(functionNameFault(name)).toBeNull();
  });

  it('a preposition is no name of a value, and a noun is one', () => {
    expect(valueNameFault('of')).toMatch('of: a preposition names no value');
    expect(valueNameFault('owner')).toBeNull();
  });
});
