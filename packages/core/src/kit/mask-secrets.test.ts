import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets, maskSecretsIn } from './mask-secrets.ts';
import { isSecretName } from './is-secret-name.ts';
import { patternStepsOf } from '../../../../tests/hostile/pattern-steps.ts';
import { secretShapes, secrets } from '../../../../tests/secrets/secret-shapes.ts';

describe('the masking of a text', () => {
  it.each([
    ['https://bob:hunter2@db.example/x', 'https://•••@db.example/x'],
    ['postgres://bob:hun/ter2@db.example/x', 'postgres://•••@db.example/x'],
    ['https://a.example/v1?key=abc&model=m#top', 'https://a.example/v1?key=•••&model=•••#top'],
    ['GET /v1/models?key=abc failed', 'GET /v1/models?key=••• failed'],
    ['https://hooks.example/in?s3cr3t', 'https://hooks.example/in?•••'],
    ['Incorrect API key provided: abc.', 'Incorrect API key provided: •••'],
    ['{"password":"a b \\" c","user":"bob"}', '{"password":"•••","user":"bob"}'],
    ['body: {\\"apiKey\\":\\"a b\\",\\"n\\":1}', 'body: {\\"apiKey\\":\\"•••\\",\\"n\\":1}'],
    ['rejected wJalrXUtnFEMI+K7MDENG+bPxRfiCYEXAMPLEKEY', 'rejected •••'],
    ['Authorization: Digest a="b", c="d"\nHost: x', 'Authorization: •••\nHost: x'],
  ])('maskSecrets masks the secret of %j', (text, expected) => {
    expect(maskSecrets(text)).toBe(expected);
  });

  it.each([
    'The model provider cannot be reached.',
    'Basic information about the bearer of bad news',
    'https://host:8080/@scope/pkg is not there',
    'Unrecognized key: "city"',
    'Session "0190f0e3-7a5c-7cc0-b0a4-5a0a1f2b3c4d" is stored by another tab.',
    'chatcmpl-B9MBs8CjcvOU2jLn4n570S5q did not finish',
    'maxOutputTokens: 4096 is more than 2048',
    'connect ECONNREFUSED 127.0.0.1:5432',
    'a ? b : c === d',
    '/usr/local/lib/node_modules/Vitrine2/packages/core/dist/index.js',
  ])('maskSecrets leaves %j unchanged', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it.each(Object.entries(secretShapes))(
    'maskSecrets lets no secret survive in the shape of %s',
    (_name, shape) => {
      const around = fc.string({ maxLength: 20 }).map((text) => `${text} `);
      fc.assert(
        fc.property(secrets, around, around, (secret, before, after) => {
          const masked = maskSecrets(`${before}${shape(secret)} ${after}`);

          expect(masked).not.toContain(secret);
          expect(masked).toContain('•••');
          expect(maskSecrets(masked)).toBe(masked);
        }),
      );
    },
  );

  it.each([
    'a',
    '://',
    '://a:',
    '?a',
    '&a=',
    'password:"',
    '\\"',
    'secret ',
    'Bearer ',
    'eyJa.',
    '=',
    '-----BEGIN PRIVATE KEY-----',
  ])('maskSecrets takes at most 2.2 x the steps for twice as many %j', (piece) => {
    const steps = (length: number): number =>
      patternStepsOf(() => maskSecrets(piece.repeat(length / piece.length)));
    expect(steps(4_000)).toBeLessThan(2.2 * steps(2_000));
  });

  it.each(['x', 'password: "', '\\"', 'sk-', 'eyJaaaa.', 'word '])(
    'maskSecrets masks in a text of 12 million characters, most of which are %j and letters',
    (piece) => {
      const secret = 'Bearer abcdefghij0123456789';
      const text = `${secret} ${piece}${'a'.repeat(12_000_000)} ${piece.repeat(12_000_000 / piece.length)} ${secret}`;
      expect(maskSecrets(text)).not.toContain('abcdefghij0123456789');
    },
  );

  it('a pattern with quadratic backtracking takes about four times the steps for twice the text', () => {
    const steps = (length: number): number => patternStepsOf(() => 'a'.repeat(length).replace(/a+b/g, ''));
    expect(steps(400)).toBeGreaterThan(3.5 * steps(200));
  });
});

describe('the masking of a JSON value', () => {
  it('maskSecretsIn masks texts, and every value under the name of a secret', () => {
    const value = {
      url: 'https://a.example?k=v',
      apiKey: 5,
      auth: { user: 'bob' },
      list: ['Bearer abc123'],
      token: null,
    };

    expect(maskSecretsIn(value)).toEqual({
      url: 'https://a.example?k=•••',
      apiKey: '•••',
      auth: '•••',
      list: ['Bearer •••'],
      token: null,
    });
  });
});

describe('the names of secrets', () => {
  it.each(
    'apiKey api_key API-KEY OPENAI_API_KEY x-api-key apikey token accessToken access_token hfToken refreshtoken secret clientSecret secrets password dbPassword passwd pwd passphrase Authorization proxy-authorization auth credentials cookie Set-Cookie privateKey awsSecretAccessKey accessKeyId'.split(
      ' ',
    ),
  )('isSecretName accepts %s as the name of a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each(
    'max_tokens maxTokens maxOutputTokens stopToken eos_token max_token tokens tokenCount promptCacheKey key author authority secretary topK temperature seed keyboard passes'.split(
      ' ',
    ),
  )('isSecretName treats %s as an ordinary name', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
