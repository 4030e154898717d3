import { join } from 'node:path';
import { EngineError } from '#contract';
import { showTypes, TYPES_FILE } from '../../../actions/set-up/extension-types.ts';
import { createExtension } from '../../../actions/set-up/new-extension.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import type { ExtensionKind } from '../../../config/types.ts';
import { checkExtensions, listExtensions } from '../../../queries/gateway/extensions.ts';
import type { ExtensionShape } from '../../../queries/shapes.ts';
import { defineCommand, type Group } from '../../command/define.ts';
import { table } from '../../text/table.ts';

const asTable = (all: readonly ExtensionShape[]): string =>
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
  text: ({ extensions: all, problems, not_ready: notReady, typesMended }) =>
    [
      asTable(all),
      '',
      ...notReady.map(({ kind, name, reason }) => `Not ready: ${kind} ${name}: ${reason}`),
      ...(typesMended ? [`Editors look for types where this version has them now (${TYPES_FILE}).`] : []),
      ...(all.every(({ state }) => state === 'disabled') ? [OFF] : []),
      ...(problems.length === 0
        ? [notReady.length === 0 ? 'Nothing is wrong.' : 'Nothing else is wrong.']
        : problems.map((one) => `Wrong: ${describeProblem(one)}`)),
    ].join('\n'),
  exitCode: ({ problems }) => (problems.length === 0 ? 0 : 1),
});

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
  summary: 'Providers, tools, resolvers and hooks',
  commands: [list, check, create],
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
