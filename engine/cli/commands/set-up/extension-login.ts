import { createInterface } from 'node:readline';
import { EngineError } from '#contract';
import { didYouMean } from '../../../config/problems/problem.ts';
import type { McpServerConfig } from '../../../config/types.ts';
import { iso } from '../../../lib/clock.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import { begunInWords, endInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import type { Pending } from '../../../mailbox/oauth/grant/pending.ts';
import type { Tokens } from '../../../mailbox/oauth/tokens/tokens.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { millisecondsOf } from '../../command/wait-option.ts';

interface LoggedIn {
  readonly server: string;
  readonly client: Parameters<typeof begunInWords>[1];
  readonly tokens: Tokens | null;
  /** What the person has yet to do; null: nothing. */
  readonly pending: Pending | null;
}

const WAIT_S = 900;

export const login = defineCommand({
  name: 'extensions login',
  summary: 'Log in to an MCP server that wants it (OAuth), in a browser; run again, it goes on where it was',
  arguments: ['[name]'],
  options: {
    url: { flags: '--url <address>', about: 'the address that the browser ended on, where it could not come back' },
    wait: { flags: '--wait <seconds>', about: `for the person (default: ${WAIT_S}, with --non-interactive 0)` },
    nonInteractive: {
      flags: '--non-interactive',
      about: 'begin the login, say what is to be done, and end; run again, look whether it was done',
    },
  },
  async run({ open, note, stdin, json }, { args: [name], options }): Promise<LoggedIn> {
    const workspace = open({ tolerant: true });
    const server = chosen(workspace, name);
    const isAsking = options.nonInteractive !== true;
    const isTerminal = isAsking && !json && stdin.isTTY === true;
    const lines = isTerminal ? createInterface({ input: stdin }) : null;
    const clientNow = () => {
      const state = workspace.serverLogins.state(server);
      if (state === null) throw new EngineError('usage', howToSwitchOn(server));
      return state.client;
    };
    const client = clientNow();
    try {
      const done = await workspace.serverLogins.logIn(server, {
        returned: options.url ?? null,
        pasted: lines,
        waitMs: millisecondsOf('--wait', options.wait, isAsking ? WAIT_S : 0),
        onBegun(pending) {
          if (!isAsking) return;
          for (const line of begunInWords(pending, client, { pastes: isTerminal })) note(line);
        },
      });
      if (done.state === 'failed') {
        const { cause, cure } = done.judged.fault;
        throw new EngineError(done.judged.until === 'person' ? 'unauthorised' : 'network', `${cause}; ${cure}`);
      }
      const result = { server: server.name, client: clientNow() };
      return done.state === 'pending'
        ? { ...result, tokens: null, pending: done.pending }
        : { ...result, tokens: done.tokens, pending: null };
    } finally {
      lines?.close();
    }
  },
  json: ({ server, client, tokens, pending }) => ({
    ...{ server, provider: client.name },
    state: pending ? 'pending' : 'logged_in',
    ...(pending?.flow === 'browser'
      ? { url: pending.url, redirect_uri: pending.redirect_uri, expires_at: iso(pending.ends_at) }
      : {}),
    ...(tokens ? { ends_at: tokens.refresh_ends_at === null ? null : iso(tokens.refresh_ends_at) } : {}),
  }),
  text: ({ server, client, tokens, pending }, { hint }) => {
    if (pending) return [...begunInWords(pending, client), 'Nobody has logged in yet.'].join('\n');
    const end = tokens && endInWords(tokens, client);
    return [
      `The gateway is logged in to ${server}, at ${client.name}.`,
      ...(end ? [`${end}.`] : []),
      hint(`What it offers: \`epistle extensions check ${server}\`.`),
    ].join('\n');
  },
  exitCode: ({ pending }) => (pending ? 3 : 0),
});

/** The server with this name; without one, the only one that is logged in to. */
function chosen({ live }: Workspace, name: string | undefined): McpServerConfig {
  const servers = live.current().extensions.mcp;
  const found = servers.find((one) => one.name === name);
  if (found) return found;
  const names = servers.map((one) => one.name);
  if (name !== undefined) {
    const hint = didYouMean(nearestOf(name, names)) || '; see `epistle extensions list`';
    throw new EngineError('not_found', `no MCP server is named ${name}${hint}`);
  }
  const [only, ...others] = servers.filter(({ auth }) => auth === 'oauth');
  if (only && others.length === 0) return only;
  const why = only ? 'several MCP servers want a login' : 'no MCP server has "auth": "oauth"';
  throw new EngineError('usage', names.length === 0 ? why : `${why}; name one of ${names.join(', ')}`);
}

const howToSwitchOn = ({ name }: McpServerConfig): string =>
  `nobody logs in to ${name}: set its "auth" to "oauth" in extensions/extensions.json`;
