import { describe, expect, it } from 'vitest';
import { extensionsSchema } from '../../../engine/config/extension-schemas.ts';

const parse = (...mcp: object[]) => extensionsSchema.safeParse({ mcp });
const why = (server: object) =>
  parse(server)
    .error?.issues.map(({ message }) => message)
    .join('; ');

describe('the MCP servers of extensions.json', () => {
  it('have defaults that grant nothing by themselves', () => {
    expect(parse({ name: 'wiki', command: 'wiki' }).data?.mcp).toEqual([
      {
        name: 'wiki',
        enabled: true,
        command: 'wiki',
        args: [],
        env: [],
        headers: {},
        start_timeout_s: 60,
        auth: 'none',
        oauth: { client_id: null, client_secret_env: null, scopes: null, redirect_port: 0 },
        tools: { allow: ['*'], risk: {}, scope: 'web', trust_hints: false, resources: false },
      },
    ]);
  });

  it.each([
    ['has neither a command nor a url', {}, /either command or url/],
    ['has both', { command: 'wiki', url: 'https://wiki.example.com/mcp' }, /either command or url/],
    ['is behind no web address', { url: 'file:///etc/passwd' }, /URL/],
    ['gives a program headers', { command: 'wiki', headers: { authorization: 'TOKEN' } }, /headers belong to a url/],
    ['gives a url variables', { url: 'https://wiki.example.com', env: ['TOKEN'] }, /belong to a command/],
    ['has a value in place of a name', { command: 'wiki', env: ['TOKEN=abc'] }, /environment variable/],
    ['logs in to a program', { command: 'wiki', auth: 'oauth' }, /only a server behind a url/],
    ['sends tokens in the clear', { url: 'http://wiki.example.com', auth: 'oauth' }, /tokens travel to it/],
    [
      'comes with a token of its own beside the login',
      { url: 'https://wiki.example.com', auth: 'oauth', headers: { Authorization: 'TOKEN' } },
      /comes from the login/,
    ],
    [
      'has the secret of no client',
      { url: 'https://wiki.example.com', auth: 'oauth', oauth: { client_secret_env: 'SECRET' } },
      /belongs to a client_id/,
    ],
    ['has a name that no vendor takes', { name: 'my wiki', command: 'wiki' }, /lower-case letters/],
  ])('are refused where one %s', (_what, server, message) => {
    expect(why({ name: 'wiki', ...server })).toMatch(message);
  });

  it('have different names', () => {
    const one = { name: 'wiki', command: 'wiki' };
    expect(parse(one, { ...one, command: 'other' }).error?.message).toContain('two servers have the same name');
  });
});
