import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentError } from '../kit/agent-error.ts';
import { secretShapes, secrets } from '../../../../tests/secrets/secret-shapes.ts';
import { type ErrorInfo, of as errorInfo } from './error-info.ts';

describe('the error info of thrown values', () => {
  it.each([
    [undefined, 'undefined was thrown instead of an error.'],
    [null, 'null was thrown instead of an error.'],
    ['', 'An empty text was thrown instead of an error.'],
    ['no route', 'no route'],
    [5n, '5'],
    [Symbol('s'), 'Symbol(s)'],
    [{ status: 500 }, 'Something that is not an Error was thrown.'],
    [new RangeError('too far'), 'too far'],
  ])('errorInfo describes a thrown value: %s', (thrown, message) => {
    expect(errorInfo(thrown).message).toBe(message);
  });

  it('errorInfo keeps name, code and causes', () => {
    const root = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });

    expect(errorInfo(new TypeError('fetch failed', { cause: root }))).toStrictEqual({
      name: 'TypeError',
      message: 'fetch failed',
      code: null,
      data: {},
      cause: { name: 'Error', message: 'refused', code: 'ECONNREFUSED', data: {}, cause: null },
    });
  });

  it("errorInfo keeps the data of this library's errors as JSON, and of no others", () => {
    const data = { at: new Date(0) as never, toolName: 'search' };
    const foreign = Object.assign(new Error('no'), { data: { toolName: 'search' } });

    expect(errorInfo(new AgentError('tool-failed', 'no', { data })).data).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      toolName: 'search',
    });
    expect(errorInfo(foreign).data).toEqual({});
  });

  it('errorInfo follows a circle of causes eight levels deep', () => {
    const error = new Error('again');
    error.cause = error;
    const depth = (info: ErrorInfo | null): number => (info === null ? 0 : 1 + depth(info.cause));

    expect(depth(errorInfo(error))).toBe(9);
  });

  it('errorInfo describes a value that throws when it is read', () => {
    const torn = new Proxy(new Error('no'), {
      get() {
        throw new Error('not even this');
      },
      has() {
        throw new Error('not even this');
      },
    });

    expect(errorInfo(torn)).toStrictEqual({
      name: 'Error',
      message: 'Something that is not an Error was thrown.',
      code: null,
      data: {},
      cause: null,
    });
  });

  it('errorInfo cuts messages that are whole documents', () => {
    expect(errorInfo(new Error('a '.repeat(20_000))).message).toHaveLength(10_001);
  });

  it('errorInfo describes an error of 20 million characters by its beginning', () => {
    const error = new Error(`password: hunter22 ${'x'.repeat(20_000_000)}`);
    const { message } = errorInfo(
      Object.assign(error, { name: 'N'.repeat(20_000_000), code: 'c'.repeat(20_000_000) }),
    );
    expect(message).toMatch(/^password: ••• x+…$/);
    expect(message.length).toBeLessThan(10_100);
  });

  it('errorInfo never throws, and returns a value that survives JSON', () => {
    const thrown = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
    const fields = fc.dictionary(fc.constantFrom('name', 'message', 'code', 'data', 'cause'), thrown);
    fc.assert(
      fc.property(
        fc.oneof(
          thrown,
          fields,
          fields.map((own) => Object.assign(new AgentError('tool-failed', ''), own)),
        ),
        (value) => {
          const info = errorInfo(value);

          expect(JSON.parse(JSON.stringify(info))).toStrictEqual(info);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(Object.entries(secretShapes))(
    'errorInfo lets no secret survive anywhere in the shape of %s',
    (_name, shape) => {
      fc.assert(
        fc.property(secrets, (secret) => {
          const text = shape(secret);
          const cause = Object.assign(new Error(text), { code: text, name: text });
          const data = { detail: text, list: [{ text }], apiKey: secret };

          const info = errorInfo(new AgentError('inference-failed', text, { data, cause }));

          expect(JSON.stringify(info)).not.toContain(secret);
        }),
        { numRuns: 30 },
      );
    },
  );

  it('errorInfo lets an application remove more', () => {
    const redact = (error: ErrorInfo): ErrorInfo => ({ ...error, message: 'Something failed.', cause: null });

    expect(errorInfo(new TypeError('bob@a.example', { cause: new Error('bob') }), redact)).toStrictEqual({
      name: 'TypeError',
      message: 'Something failed.',
      code: null,
      data: {},
      cause: null,
    });
  });

  it.each([
    [
      'throws',
      (): never => {
        throw new Error('bob');
      },
    ],
    ['gives nothing', () => null as never],
    ['gives a promise', () => Promise.resolve() as never],
  ])('errorInfo withholds an error whose redaction %s', (_title, redact) => {
    const error = new AgentError('tool-failed', 'bob', { data: { name: 'bob' }, cause: new Error('bob') });

    const info = errorInfo(error, redact);

    expect(JSON.stringify(info)).not.toContain('bob');
    expect(info).toMatchObject({ name: 'AgentError', code: 'tool-failed' });
  });

  it('errorInfo repairs the shape of a redacted error', () => {
    const redact = (): ErrorInfo =>
      ({ message: 5, data: { at: new Date(0) }, cause: { name: 'Inner' } }) as never;

    expect(errorInfo(new Error('no'), redact)).toStrictEqual({
      name: 'Error',
      message: '',
      code: null,
      data: { at: '1970-01-01T00:00:00.000Z' },
      cause: { name: 'Inner', message: '', code: null, data: {}, cause: null },
    });
  });
});
