import { join } from 'node:path';
import { EngineError } from '#contract';
import { showTypes, TYPES_FILE } from '../../../actions/set-up/extension-types.ts';
import { createExtension } from '../../../actions/set-up/new-extension.ts';
import { describeProblem, didYouMean } from '../../../config/problems/problem.ts';
import type { ExtensionKind, McpServerConfig } from '../../../config/types.ts';
import { visible } from '../../../delivery/questions/approval-text.ts';
import { LOCK_FILE } from '../../../extensions/pins/lock-file.ts';
import type { ExtensionRecord } from '../../../extensions/types.ts';
import { iso } from '../../../lib/clock.ts';
import { nearestOf } from '../../../lib/text/nearest.ts';
import type { OAuthClient } from '../../../mailbox/oauth/client.ts';
import { endInWords } from '../../../mailbox/oauth/grant/in-words.ts';
import {
  changeShapes,
  checkExtensions,
  listExtensions,
  type ToolChangeShape,
  type WaitingShape,
} from '../../../queries/gateway/extensions.ts';
import type { Workspace } from '../../../workspace.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { type BegunLogin, LOGIN_OPTIONS, logInHere, loginShape, unfinishedInWords } from '../../command/oauth-login.ts';
import { table } from '../../text/table.ts';

type LoggedIn = BegunLogin & {
  readonly server: string;
  readonly client: OAuthClient;
};

const login = defineCommand({
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
    server,
    provider: client.name,
    ...loginShape(done),
    ...(done.pending?.flow === 'browser'
      ? {
          url: done.pending.url,
          redirect_uri: done.pending.redirect_uri,
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

const asTable = (all: readonly ExtensionRecord[]): string =>
  table(
    ['KIND', 'NAME', 'SOURCE', 'STATE'],
    all.map((one) => [
      one.kind,
      one.name,
      one.source,
      `${one.error ? `${one.state}: ${one.error.message}` : one.state}${one.replaces ? ', in place of the bundled one' : ''}`,
    ]),
    'No extensions.',
  );

const OFF = 'It is off: list it in extensions/extensions.json.';

const list = defineCommand({
  name: 'extensions list',
  summary: 'What is there and what is on',
  run: async ({ open }) => ({ extensions: await listExtensions(open({ tolerant: true })), next: null }),
  text: (found) => asTable(found.extensions),
});

const check = defineCommand({
  name: 'extensions check',
  summary: 'Load them all and say what is wrong',
  arguments: ['[name]'],
  async run({ open }, { args: [name] }) {
    const ports = open({ tolerant: true });
    // After an upgrade, or in a folder that came from elsewhere, an editor would look where nothing is any more.
    const typesMended = showTypes(ports.root, { onlyOld: true });
    return { ...(await checkExtensions(ports, name)), typesMended };
  },
  json: ({ typesMended: _, ...checked }) => {
    const { problems } = checked;
    if (problems.length === 0) return checked;
    const message = problems.map(describeProblem).join('; ');
    return { ...checked, error: { code: 'extension_invalid', message, problems } };
  },
  text: ({ extensions: all, problems, not_ready: notReady, waiting, unfit, typesMended }, { hint: typed }) =>
    [
      asTable(all),
      '',
      ...waiting.flatMap((one) => [...waitingLines(one).map(typed), '']),
      ...notReady.map(({ kind, name, reason }) => `Not ready: ${kind} ${name}: ${reason}`),
      ...unfit.map(
        ({ provider, tool, left_out: isOut, reason }) =>
          `${isOut ? 'Left out' : 'Described otherwise'} for ${provider}: ${tool}: ${reason}`,
      ),
      ...(typesMended ? [`Editors look for types where this version has them now (${TYPES_FILE}).`] : []),
      ...(all.every(({ state }) => state === 'disabled') ? [OFF] : []),
      ...(problems.length === 0
        ? [notReady.length === 0 ? 'Nothing is wrong.' : 'Nothing else is wrong.']
        : problems.map((one) => `Wrong: ${describeProblem(one)}`)),
    ].join('\n'),
  exitCode: ({ problems }) => (problems.length === 0 ? 0 : 1),
});

const allow = defineCommand({
  name: 'extensions allow',
  summary: 'Allow the tools of an MCP server as it shows them now',
  arguments: [['<name>', 'of the server in extensions/extensions.json']],
  examples: [['extensions allow wiki', 'after a look at `extensions check wiki`; each tool until it changes']],
  async run({ open }, { args: [name] }) {
    const workspace = open({ tolerant: true });
    const { all } = await workspace.extensions();
    const allowed = await workspace.servers.allow(name);
    if (allowed === null) throw noServer(name, all);
    // Without a list that it is held against, nothing can differ from it.
    if (allowed.kind !== 'pinned') throw new Error(`${name} was held against no list`);
    return { server: name, pinned: allowed.pinned, tools: changeShapes(name, allowed.changes) };
  },
  text: ({ server, pinned, tools }) =>
    [
      ...(tools.length === 0 ? ['Nothing has changed.'] : ['Allowed as it is now:', ...tools.flatMap(changeLines)]),
      '',
      `${server} has ${pinned} ${pinned === 1 ? 'tool' : 'tools'} that personas may be given (${LOCK_FILE}).`,
    ].join('\n'),
});

function noServer(name: string, all: readonly Pick<ExtensionRecord, 'name' | 'kind' | 'state'>[]): EngineError {
  const found = all.find((one) => one.name === name && one.kind === 'mcp') ?? all.find((one) => one.name === name);
  if (found?.kind === 'mcp') return new EngineError('usage', `${name} is switched off in extensions/extensions.json`);
  if (found)
    return new EngineError('usage', `${name} is a ${found.kind}: only tools of MCP servers are allowed one by one`);
  return new EngineError('not_found', `no MCP server is named ${name}; see \`epistle extensions list\``);
}

const waitingLines = ({ server, is_new, tools }: WaitingShape): string[] => [
  is_new
    ? `${server} is new. Its tools are not used before \`epistle extensions allow ${server}\`:`
    : `${server} has changed. What follows is not used before \`epistle extensions allow ${server}\`:`,
  ...tools.flatMap(changeLines),
];

function changeLines({ tool, change, description, schema, only_reads, destroys }: ToolChangeShape): string[] {
  // The words of a server may hold anything: on one line, and each sign of them seen.
  const shown = [
    ['description', { before: quoted(description.before), now: quoted(description.now) }],
    ['arguments', schema],
    [
      'it says that it',
      { before: riskOf(only_reads.before, destroys.before), now: riskOf(only_reads.now, destroys.now) },
    ],
  ] as const;
  return [
    `  ${change.padEnd(7)}  ${tool}`,
    ...shown.flatMap(([what, { before, now }]) => {
      if (change === 'removed' || before === now) return [];
      const is = `           ${what}: ${visible(now ?? 'nothing')}`;
      return change === 'added' ? [is] : [`           ${what}, before: ${visible(before ?? 'nothing')}`, is];
    }),
  ];
}

const quoted = (text: string | null): string | null => (text === null ? null : JSON.stringify(text));

const riskOf = (onlyReads: boolean | null, destroys: boolean | null): string =>
  destroys ? 'may delete or overwrite' : onlyReads ? 'only reads' : onlyReads === null ? 'is not there' : 'may write';

const create = defineCommand({
  name: 'extensions new',
  summary: 'Make the folder of a new one that works, and switch it on',
  arguments: [
    ['<kind>', 'tool, provider, resolver or hook'],
    ['<name>', 'lower-case letters, digits and _'],
  ],
  options: {
    url: {
      flags: '--url <url>',
      about: 'of a provider: a server that speaks OpenAI’s protocol; it then needs no code',
    },
    model: { flags: '--model <id>', about: 'with --url: the model that is asked, as the server calls it' },
    keyEnv: { flags: '--key-env <name>', about: 'with --url: the variable in .env that holds its key' },
  },
  async run({ open }, { args: [kind, name], options: { url, model, keyEnv } }) {
    const workspace = open({ tolerant: true });
    const { root } = workspace;
    const { all } = await workspace.extensions();
    const replaces = all.some((one) => one.source === 'bundled' && one.kind === kind && one.name === name);
    const server = url === undefined ? null : { url, model: model ?? null, keyEnv: keyEnv ?? null };
    if (server === null && (model ?? keyEnv) !== undefined)
      throw new EngineError('usage', '--model and --key-env go with --url');
    return { ...createExtension(root, { kind, name, server }), root, replaces };
  },
  json: ({ kind, name, path, root, created, replaces }) => ({
    extension: { kind, name, path: join(root, path) },
    created,
    replaces: replaces ? 'bundled' : null,
  }),
  text: ({ kind, name, created, replaces }) =>
    [
      `Made a ${kind} that works, and listed it:`,
      ...created.map((file) => `  ${file}`),
      ...(replaces
        ? [`It takes the place of the bundled ${kind} ${name}; another name leaves that one as it is.`]
        : []),
      '',
      hint(kind, name),
    ].join('\n'),
});

export const extensions: Group = {
  name: 'extensions',
  summary: 'Providers, tools, resolvers, hooks and MCP servers',
  commands: [list, check, allow, login, create],
};

function hint(kind: ExtensionKind, name: string): string {
  switch (kind) {
    case 'tool':
      return `Try it without a model: write a mail with the line  /${name} {"text": "hello"}`;
    case 'provider':
      return `Use it: set "provider": "${name}" in configs/inference.json or in a persona.`;
    case 'resolver':
      return `Use it: {"profiles": {"thread": {"add": ["${name}"]}}} in configs/context.json adds it to the default profile.`;
    case 'hook':
      return 'It is told of every run that ends; see the log of `epistle start`.';
  }
}
