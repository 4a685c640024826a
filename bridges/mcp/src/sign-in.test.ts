import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { afterEach, expect, it } from 'vitest';
import { AgentState, type AgentError, createAgentLoop } from '@vitrine/core';
import { ask, scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { type SignInMcp, serveSignInMcp } from '../../../tests/serve-mcp.ts';
import { mcpTools } from './mcp-tools.ts';

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function served(): Promise<SignInMcp> {
  const made = await serveSignInMcp(() => {
    const server = new McpServer({ name: 'files', version: '1.0.0' });
    const inputSchema = fromJsonSchema({ type: 'object' });
    server.registerTool('read', { inputSchema, annotations: { readOnlyHint: true } }, () => ({
      content: [{ type: 'text', text: 'the file' }],
    }));
    return server;
  });
  closing.push(made.close);
  return made;
}

/** A person with a browser: what the client keeps for them, and the page to which it sent them. */
function person() {
  const kept: {
    tokens?: StoredOAuthTokens;
    found?: OAuthDiscoveryState;
    verifier: string;
    sentTo: URL | null;
  } = {
    verifier: '',
    sentTo: null,
  };
  const authProvider: OAuthClientProvider = {
    redirectUrl: 'https://chat.example/',
    clientMetadata: { redirect_uris: ['https://chat.example/'] },
    clientInformation: () => ({ client_id: 'chat' }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    codeVerifier: () => kept.verifier,
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    discoveryState: () => kept.found,
    saveDiscoveryState: (found) => void (kept.found = found),
    redirectToAuthorization: (url) => void (kept.sentTo = url),
  };
  return { kept, authProvider };
}

type Person = ReturnType<typeof person>;

function transportTo(server: SignInMcp, { authProvider }: Person): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(server.url, { authProvider });
}

function newClient(): Client {
  const client = new Client({ name: 'test', version: '1.0.0' });
  closing.push(() => client.close());
  return client;
}

/** Sends the person to the sign-in, and gives the address to which it sends them back. */
async function signIn(server: SignInMcp, someone: Person): Promise<URLSearchParams> {
  await expect(newClient().connect(transportTo(server, someone))).rejects.toThrow(UnauthorizedError);
  if (someone.kept.sentTo === null) throw new Error('The client sent the person nowhere.');
  const answer = await fetch(someone.kept.sentTo, { redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams;
}

async function signedIn(server: SignInMcp, someone: Person): Promise<Client> {
  const transport = transportTo(server, someone);
  await transport.finishAuth(await signIn(server, someone));
  const client = newClient();
  await client.connect(transportTo(server, someone));
  return client;
}

/** Runs a step that calls `files_read`, and gives what the model was told, what it could call and what came of it. */
async function run(client: Client) {
  const errors: AgentError[] = [];
  const told: { readonly tools: readonly string[]; readonly prompt: string }[] = [];
  const plugin = mcpTools(client, { name: 'files', onError: (error) => errors.push(error) });
  const agent = scriptedAgent(
    [
      (request) => {
        const tools = request.tools.map(({ name }) => name);
        told.push({ tools, prompt: JSON.stringify(request) });
        return tools.length === 0 ? { text: 'none' } : { toolCalls: [{ name: 'files_read', input: {} }] };
      },
      { text: 'done' },
    ],
    { plugins: [plugin] },
  );
  const state = await createAgentLoop(agent).execute(ask());
  return { errors, told: told[0], executions: AgentState.steps(state)[0]?.toolExecutions ?? [] };
}

const sentence =
  'Nobody is signed in at the MCP server "files", or the sign-in has expired: sign in there, and connect the client again with its `authProvider`.';

it('a person who signs in at an MCP server with a code and PKCE gets its tools, and calls them', async () => {
  const server = await served();
  const { told, executions, errors } = await run(await signedIn(server, person()));
  expect(told?.tools).toEqual(['files_read']);
  expect(executions).toMatchObject([{ status: 'completed', result: 'the file' }]);
  expect(errors).toEqual([]);
});

it('a server whose sign-in has expired is told as such to the model and to the developer', async () => {
  const server = await served();
  const client = await signedIn(server, person());
  server.expire();
  const { told, errors } = await run(client);
  expect(told?.tools).toEqual([]);
  expect(told?.prompt).toContain(JSON.stringify(sentence).slice(1, -1));
  expect(errors.map(({ code, message }) => [code, message])).toEqual([['tools-unavailable', sentence]]);
});

it('a call fails with the sentence about the sign-in when that expires between the list and the call', async () => {
  const server = await served();
  const client = await signedIn(server, person());
  server.expire('tools/call');
  const { executions } = await run(client);
  expect(executions).toMatchObject([
    { status: 'failed', error: { message: `The tool "read" of the MCP server "files" failed: ${sentence}` } },
  ]);
});

it('a sign-in that the person refuses, or whose code was used or has another verifier, gives no token', async () => {
  const server = await served();
  const someone = person();
  server.refuse(true);
  const refused = await signIn(server, someone);
  expect(refused.get('error')).toBe('access_denied');
  await expect(transportTo(server, someone).finishAuth(refused)).rejects.toThrow('access_denied');
  server.refuse(false);
  const back = await signIn(server, someone);
  const { verifier } = someone.kept;
  someone.kept.verifier = 'x'.repeat(43);
  await expect(transportTo(server, someone).finishAuth(back)).rejects.toThrow('The code is not valid.');
  someone.kept.verifier = verifier;
  await expect(transportTo(server, someone).finishAuth(back)).rejects.toThrow('The code is not valid.');
  expect(someone.kept.tokens).toBeUndefined();
});
