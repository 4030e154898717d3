import { join } from 'node:path';
import { createExtension } from '../../../actions/set-up/new-extension.ts';
import { describeProblem } from '../../../config/problems/problem.ts';
import type { ExtensionKind } from '../../../config/types.ts';
import { checkExtensions, listExtensions } from '../../../queries/gateway/extensions.ts';
import type { ExtensionShape } from '../../../queries/shapes.ts';
import { defineCommand, type Group } from '../../define.ts';
import { table } from '../../text/table.ts';

const asTable = (all: readonly ExtensionShape[]): string =>
  table(
    ['KIND', 'NAME', 'SOURCE', 'STATE'],
    all.map((one) => [one.kind, one.name, one.source, one.error ? `${one.state}: ${one.error.message}` : one.state]),
    'No extensions.',
  );

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
  run: ({ open }, { args: [name] }) => checkExtensions(open({ tolerant: true }), name),
  json: (checked) => {
    const { problems } = checked;
    if (problems.length === 0) return checked;
    const message = problems.map(describeProblem).join('; ');
    return { ...checked, error: { code: 'extension_invalid', message, problems } };
  },
  text: ({ extensions: all, problems }) =>
    problems.length === 0
      ? `${asTable(all)}\n\nNothing is wrong.`
      : [asTable(all), '', ...problems.map((one) => `Wrong: ${describeProblem(one)}`)].join('\n'),
  exitCode: ({ problems }) => (problems.length === 0 ? 0 : 1),
});

const create = defineCommand({
  name: 'extensions new',
  summary: 'Make the folder of a new one that works, and switch it on',
  arguments: [
    ['<kind>', 'tool, provider, resolver or hook'],
    ['<name>', 'lower-case letters, digits and _'],
  ],
  async run({ open }, { args: [kind, name] }) {
    const { root } = open({ tolerant: true });
    return { ...createExtension(root, { kind, name }), root };
  },
  json: ({ kind, name, path, root, created }) => ({ extension: { kind, name, path: join(root, path) }, created }),
  text: ({ kind, name, created }) =>
    [`Made a ${kind} that works, and listed it:`, ...created.map((file) => `  ${file}`), '', hint(kind, name)].join(
      '\n',
    ),
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
