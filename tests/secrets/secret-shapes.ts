import fc from 'fast-check';

const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Secrets of 20 to 48 letters and digits, with at least one digit. */
export const secrets: fc.Arbitrary<string> = fc
  .tuple(
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: 19, maxLength: 46 }),
    fc.constantFrom(...'0123456789'),
  )
  .map(([text, digit]) => `${text}${digit}`);

const base64 = (text: string): string => btoa(text);

/** The forms in which secrets occur in the texts of errors. */
export const secretShapes: { readonly [name: string]: (secret: string) => string } = {
  'a user of a URL': (secret) => `cannot reach https://${secret}@api.example/v1`,
  'a password of a URL': (secret) => `cannot reach https://bob:${secret}@api.example/v1`,
  'a password of a database': (secret) => `postgres://admin:${secret}@db.example:5432/app refused`,
  'a password with a slash': (secret) => `redis://:a/${secret}@cache.example`,
  'a password with an at sign': (secret) => `amqp://u:p@${secret}@queue.example`,
  'a query value': (secret) => `GET https://api.example/v1/models?key=${secret} gave 400`,
  'a second query value': (secret) => `https://api.example/v1?alt=sse&x=${secret}#part`,
  'a query value of a path': (secret) => `POST /hooks?t=${secret}`,
  'a bare query': (secret) => `https://hooks.example/in?${secret}`,
  'a fragment of a URL': (secret) => `https://app.example/cb#access_token=${secret}&state=1`,
  'a form body': (secret) => `grant_type=x&client_secret=${secret}&scope=y`,
  'a bearer token': (secret) => `401 for Bearer ${secret}`,
  'an authorization header': (secret) => `authorization: Bearer ${secret}`,
  'basic authorization': (secret) => `{"Authorization":"Basic ${secret}"}`,
  'headers in JSON': (secret) => `{"headers":{"x-api-key":"${secret}","accept":"*/*"}}`,
  'headers in escaped JSON': (secret) => `{\\"x-api-key\\": \\"${secret}\\"}`,
  'a header line': (secret) => `X-Api-Key: ${secret}`,
  'a cookie': (secret) => `cookie: theme=dark; session=${secret}`,
  'an environment variable': (secret) => `OPENAI_API_KEY=${secret} is not valid`,
  'a key that a provider refused': (secret) =>
    `Incorrect API key provided: ${secret}. Find yours in the console.`,
  'a password in words': (secret) => `login failed with password: ${secret}`,
  'a quoted password': (secret) => `password = 'my ${secret} phrase'`,
  'a connection string': (secret) => `Server=db;User Id=sa;Pwd=${secret};Encrypt=true`,
  'a client secret in JSON': (secret) => `{"clientSecret":"${secret}"}`,
  'a refresh token': (secret) => `refresh_token=${secret}`,
  'a token after a colon': (secret) => `invalid token: ${secret}`,
  'a signature': (secret) => `X-Amz-Signature=${secret}`,
  'an OpenAI key': (secret) => `sk-proj-${secret} was revoked`,
  'an Anthropic key': (secret) => `(sk-ant-api03-${secret})`,
  'a Stripe key': (secret) => `sk_live_${secret}`,
  'a GitHub token': (secret) => `remote: ghp_${secret} expired`,
  'a Slack token': (secret) => `xoxb-${secret}`,
  'a Google key': (secret) => `AIza${secret}xx is blocked`,
  'a Hugging Face token': (secret) => `using hf_${secret}`,
  'a JWT': (secret) => `jwt eyJ${base64(secret).replaceAll('=', '')}.eyJ${secret}.${secret}`,
  'a private key': (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
  'a cut private key': (secret) => `-----BEGIN PRIVATE KEY-----\n${secret}`,
};
