import { EngineError } from '#contract';
import { didYouMean } from '../../../config/problems/problem.ts';
import type { McpServerConfig } from '../../../config/types.ts';
import { iso } from '../../../lib/clock.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import type { OAuthClient } from '../../../mailbox/oauth/client.ts';
import { endInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand } from '../../command/define.ts';
import { LOGIN_OPTIONS, type Login, logInHere, loginShape, unfinishedInWords } from '../../command/oauth-login.ts';

type LoggedIn = Login & {
  readonly server: string;
  readonly client: OAuthClient;
};

export const login = defineCommand({
  name: 'extensions login',
  summary: 'Log in to an MCP server that wants it (OAuth), in a browser; run again, it goes on where it was',
  arguments: ['[name]'],
  options: LOGIN_OPTIONS,
  async run(context, { args: [name], options }): Promise<LoggedIn> {
    const workspace = context.open({ tolerant: true });
    const server = chosen(workspace, name);
    const clientNow = () => {
      const state = workspace.serverLogins.state(server);
      if (state === null) throw new EngineError('usage', howToSwitchOn(server));
      return state.client;
    };
    const done = await logInHere(context, options, clientNow(), (how) => workspace.serverLogins.logIn(server, how));
    return { ...done, server: server.name, client: clientNow() };
  },
  json: ({ server, client, ...done }) => ({
    ...{ server, provider: client.name },
    ...loginShape(done),
    ...(done.pending?.flow === 'browser'
      ? {
          ...{ url: done.pending.url, redirect_uri: done.pending.redirect_uri },
          expires_at: iso(done.pending.ends_at),
        }
      : {}),
  }),
  text: ({ server, client, ...done }, { hint }) => {
    const unfinished = unfinishedInWords(done, client);
    if (unfinished !== null) return unfinished;
    const end = done.tokens && endInWords(done.tokens, client);
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
